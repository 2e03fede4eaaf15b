// tocuda, Apache-2.0.
#include "model/allowed.hpp"

#include <gtest/gtest.h>

namespace tocuda {
namespace {

TEST(Allowed, SaysWhatIsAllowedInstead) {
    const Allowed threads{.least = 32, .most = 1024, .multiple_of = 32};
    for (const auto value : {32, 64, 1024}) EXPECT_EQ(why_not_allowed("threads", value, threads), "") << value;
    EXPECT_EQ(why_not_allowed("threads", 33, threads),
              "threads must be between 32 and 1024 and a multiple of 32, not 33");
    EXPECT_NE(why_not_allowed("threads", 0, threads), "");
    EXPECT_NE(why_not_allowed("threads", 1056, threads), "");
}

TEST(Allowed, OnlyTheseNumbersOrAtLeastSoMuch) {
    EXPECT_EQ(why_not_allowed("width", 8, {.only = {4, 8, 16}}), "");
    EXPECT_EQ(why_not_allowed("width", 2, {.only = {4, 8, 16}}), "width must be one of 4, 8, 16, not 2");
    EXPECT_EQ(why_not_allowed("bytes", 64, {.least = 512, .because = "no line may be loaded twice"}),
              "bytes must be at least 512, not 64: no line may be loaded twice");
    EXPECT_EQ(why_not_allowed("chunk", 0, {.least = 64, .or_zero = true}), "");
    EXPECT_EQ(why_not_allowed("chunk", 8, {.least = 64, .or_zero = true}), "chunk must be 0, or at least 64, not 8");
    EXPECT_EQ(why_not_allowed("bytes", 6, {.least = 4, .multiple_of = 4}), "bytes must be a multiple of 4, not 6");
}

TEST(Allowed, AtLeastOneIsNoMultiple) { EXPECT_EQ(in_words({.least = 1}), "at least 1"); }

TEST(Allowed, AnythingUnlessSaidOtherwise) {
    for (const std::int64_t value : {std::int64_t{0}, Allowed::no_most}) EXPECT_EQ(why_not_allowed("n", value, {}), "");
    EXPECT_EQ(in_words(Allowed{}), "");
}

}  // namespace
}  // namespace tocuda
