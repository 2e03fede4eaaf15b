// tocuda, Apache-2.0.
// What is said of NVLink's counters.
#include <gtest/gtest.h>

#include "measurement/peaks.hpp"

namespace tocuda {
namespace {

constexpr std::int64_t mib = 1 << 20;

std::string words(const NvLinkSent& sent, std::int64_t bytes) {
    return nvlink_words(
        {{.bytes = 7, .by_link = {1, 2, 4}}},
        {{.bytes = 7 + sent.bytes, .by_link = {1 + sent.by_link[0], 2 + sent.by_link[1], 4 + sent.by_link[2]}}}, bytes);
}

TEST(NvLinkWords, SaysWhichShareWasCounted) {
    EXPECT_EQ(words({6 * mib, {2 * mib, 2 * mib, 2 * mib}}, 6 * mib), "NVLink counted these bytes, over 3 links");
    EXPECT_EQ(words({6 * mib, {3 * mib, 0, 3 * mib}}, 6 * mib), "NVLink counted these bytes, over 2 links");
    EXPECT_EQ(words({3 * mib, {mib, mib, mib}}, 6 * mib), "NVLink counted 50 % of these bytes");
    EXPECT_EQ(words({0, {0, 0, 0}}, 6 * mib), "NVLink counted none of these bytes");
    EXPECT_EQ(words({9 * mib, {3 * mib, 3 * mib, 3 * mib}}, 6 * mib), "NVLink counted more than these bytes");
}

TEST(NvLinkWords, NamesNoLinksThatDoNotAddUp) {
    EXPECT_EQ(words({6 * mib, {6 * mib, 6 * mib, 6 * mib}}, 6 * mib), "NVLink counted these bytes");
}

TEST(NvLinkWords, SaysNothingOfFewBytes) { EXPECT_EQ(words({1024, {1024, 0, 0}}, 1024), ""); }

TEST(NvLinkWords, AddsUpSenders) {
    const NvLinkSent none{.bytes = 0, .by_link = {0}};
    const NvLinkSent half{.bytes = 3 * mib, .by_link = {3 * mib}};
    EXPECT_EQ(nvlink_words({none, none}, {half, half}, 6 * mib), "NVLink counted these bytes, over 2 links");
}

}  // namespace
}  // namespace tocuda
