// tocuda, Apache-2.0.
// The places of cold operations: their number and order, and sets that cannot be cold.
#include "kernels/rotation.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace tocuda {
namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;
const GpuFacts with_l2{.compute_capability = 90, .multiprocessors = 132, .l2_bytes = 60 * mebibyte};

Parameters set_of(std::size_t bytes, const char* cache) { return {{"bytes", bytes}, {"cache", cache}}; }

TEST(Rotation, TouchesFourTimesTheCacheBeforeReusingAPlace) {
    for (const std::size_t bytes : {mebibyte, 7 * mebibyte, 64 * mebibyte, 1024 * mebibyte}) {
        const auto footprint = 2 * bytes;
        const auto places = places_of(set_of(bytes, "cold"), with_l2, footprint);
        EXPECT_GE((places - 1) * footprint, 4 * with_l2.l2_bytes) << bytes;
        EXPECT_LT((places - 1) * footprint, 4 * with_l2.l2_bytes + footprint) << bytes;
    }
}

TEST(Rotation, ResidentOperationsHaveOnePlace) {
    EXPECT_EQ(places_of(set_of(mebibyte, "resident"), with_l2, 2 * mebibyte), 1U);
    EXPECT_EQ(places_of({{"bytes", mebibyte}}, with_l2, 2 * mebibyte), 1U);
}

TEST(Rotation, EachOperationUsesTheNextPlace) {
    Turn turn(3);
    std::vector<std::size_t> taken;
    for (int i = 0; i < 7; ++i) taken.push_back(turn.take());
    EXPECT_EQ(taken, (std::vector<std::size_t>{0, 1, 2, 0, 1, 2, 0}));
    Turn alone(1);
    EXPECT_EQ(alone.take() + alone.take(), 0U);
}

TEST(Rotation, ReportsWhatCannotBeCold) {
    EXPECT_EQ(why_not_cold(set_of(mebibyte, "cold"), with_l2), "");
    EXPECT_EQ(why_not_cold(set_of(17, "resident"), with_l2), "");
    EXPECT_NE(why_not_cold(set_of(mebibyte + 1, "cold"), with_l2), "");
    EXPECT_NE(why_not_cold(set_of(mebibyte / 2, "cold"), with_l2), "");
    EXPECT_NE(why_not_cold(set_of(mebibyte, "cold"), {}), "");
}

}  // namespace
}  // namespace tocuda
