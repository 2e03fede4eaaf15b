// tocuda, Apache-2.0.
// When values lie around two places.
#include "benchmarks/latency/two_modes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace tocuda {
namespace {

std::vector<double> around(std::initializer_list<double> places, double width, int each = 66) {
    std::mt19937_64 random(1);
    std::normal_distribution<double> noise(0, width);
    std::vector<double> values;
    for (const auto place : places)
        for (int i = 0; i < each; ++i) values.push_back(place + noise(random));
    std::sort(values.begin(), values.end());
    return values;
}

TEST(TwoModes, NearAndFarAreTwo) {
    EXPECT_TRUE(have_two_modes(around({200, 260}, 5)));
    EXPECT_TRUE(have_two_modes({200, 200, 260, 260}));
    auto unequal = around({200}, 3, 100);
    for (int i = 0; i < 20; ++i) unequal.push_back(250 + i % 3);
    EXPECT_TRUE(have_two_modes(unequal));
}

TEST(TwoModes, OneBroadDistributionIsOne) {
    EXPECT_FALSE(have_two_modes(around({230}, 20, 132)));
    std::vector<double> uniform;
    for (int i = 0; i < 132; ++i) uniform.push_back(200 + i);
    EXPECT_FALSE(have_two_modes(uniform));
}

TEST(TwoModes, EqualOrSingleValuesAreOne) {
    EXPECT_FALSE(have_two_modes({200}));
    EXPECT_FALSE(have_two_modes(std::vector(132, 200.0)));
}

TEST(TwoModes, ModesNearerThanTwoPercentDoNotCount) { EXPECT_FALSE(have_two_modes(around({200, 202}, 0.01))); }

TEST(TwoModes, FewFarValuesAreNoMode) {
    auto values = std::vector(130, 200.0);
    values.insert(values.end(), {300, 300});
    EXPECT_FALSE(have_two_modes(values));
}

TEST(Percentile, BeginsWithLowestAndEndsWithHighest) {
    const std::vector<double> values{1, 2, 3, 4, 5};
    EXPECT_EQ(percentile_of(values, 0), 1);
    EXPECT_EQ(percentile_of(values, 50), 3);
    EXPECT_EQ(percentile_of(values, 100), 5);
    EXPECT_EQ(percentile_of({7}, 50), 7);
}

}  // namespace
}  // namespace tocuda
