// tocuda, Apache-2.0.
// Both procedures against examples worked by hand.
#include "statistics/multiple_testing.hpp"

#include <gtest/gtest.h>

namespace tocuda {
namespace {

TEST(Holm, EachRejectionMakesTheNextEasier) {
    const auto levels = holm_levels(std::vector{0.02, 0.001, 0.5, 0.012}, 0.05);
    EXPECT_DOUBLE_EQ(levels[1], 0.05 / 4);
    EXPECT_DOUBLE_EQ(levels[3], 0.05 / 3);
    EXPECT_DOUBLE_EQ(levels[0], 0.05 / 2);
    EXPECT_DOUBLE_EQ(levels[2], 0.05);
}

TEST(Holm, NothingIsRejectedAfterTheFirstFailure) {
    // 0.03 is not below 0.05 / 2; 0.04 would be below 0.05.
    const auto levels = holm_levels(std::vector{0.04, 0.03, 0.01}, 0.05);
    EXPECT_DOUBLE_EQ(levels[1], 0.05 / 2);
    EXPECT_DOUBLE_EQ(levels[0], 0.05 / 2);
}

TEST(Holm, EqualProbabilitiesShareOneLevel) {
    for (const double level : holm_levels(std::vector{0.0, 0.0, 0.0}, 0.03)) EXPECT_DOUBLE_EQ(level, 0.01);
    EXPECT_TRUE(holm_levels({}, 0.01).empty());
}

TEST(BenjaminiHochberg, LastBelowItsStepIncludesAllLowerOnes) {
    // The steps are 0.0125, 0.025, 0.0375, 0.05: 0.037 is below the third step, so 0.03, which is above the second, is
    // chosen with it.
    const auto chosen = benjamini_hochberg(std::vector{0.037, 0.9, 0.03, 0.001}, 0.05);
    EXPECT_EQ(chosen, (std::vector{true, false, true, true}));
    EXPECT_EQ(benjamini_hochberg(std::vector{0.04, 0.06}, 0.05), (std::vector{false, false}));
}

}  // namespace
}  // namespace tocuda
