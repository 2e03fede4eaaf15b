// tocuda, Apache-2.0.
// The spread of starts against examples worked by hand, and the variance of medians against a simulation.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "comparison_rules/row_estimate.hpp"
#include "statistics/order_statistics.hpp"
#include "statistics/random_numbers.hpp"

namespace tocuda {
namespace {

TEST(StartSpread, StartHasTheMedianOfItsProcesses) {
    EXPECT_DOUBLE_EQ(*value_of({"", {1, 4, 900}}), std::log(4.0));
    EXPECT_DOUBLE_EQ(*value_of({"", {1, 4}}), std::log(2.0));
    EXPECT_FALSE(value_of({"", {}}));
    EXPECT_EQ(values_of(std::vector<Start>{{"", {1}}, {"", {}}, {"", {1}}}).size(), 2U);
}

TEST(StartSpread, GroupsVaryAboutTheirOwnMeans) {
    const auto spread = pooled({{1, 3}, {100, 104}, {7}, {}});
    EXPECT_DOUBLE_EQ(spread.squares, 2 + 8);
    EXPECT_EQ(spread.freedom, 2);
    EXPECT_DOUBLE_EQ(spread.deviation(), std::sqrt(5));
    EXPECT_EQ(pooled({{7}}).deviation(), 0);
}

TEST(StartSpread, LargestStepIsBetweenAdjacentBlocksOfOneGroup) {
    EXPECT_DOUBLE_EQ(largest_step(std::vector<std::vector<double>>{{0, 0, 9, 2, 2, 2}}, 3), 2);
    EXPECT_DOUBLE_EQ(largest_step(std::vector<std::vector<double>>{{0, 0, 0}, {5, 5, 5}}, 3), 0);
    EXPECT_DOUBLE_EQ(largest_step(std::vector<std::vector<double>>{{0, 1, 3}}, 1), 2);
    EXPECT_EQ(largest_step(std::vector<std::vector<double>>{{0, 1, 3}}, 0), 0);
}

TEST(StartSpread, FarthestStartCountsUnlessThereAreMany) {
    const std::vector<std::vector<double>> group{{0, 0, 0, 0, -3, 5, 0}};
    EXPECT_DOUBLE_EQ(usual_stray(group, 0.05), 5);
    EXPECT_DOUBLE_EQ(usual_stray(group, 0.3), 3);
    EXPECT_EQ(usual_stray({}, 0.05), 0);
}

TEST(StartSpread, MedianVarianceMatchesASimulation) {
    RandomNumbers random(3);
    for (const std::size_t count : {2U, 3U, 6U, 10U}) {
        double squares = 0;
        constexpr int tries = 20000;
        for (int i = 0; i < tries; ++i) {
            std::vector<double> values;
            while (values.size() < count) values.push_back(random.normal());
            squares += median(values) * median(values);
        }
        EXPECT_NEAR(squares / tries / median_variance(count), 1, 0.04) << count;
    }
    EXPECT_GT(median_variance(11), 0.137);
}

}  // namespace
}  // namespace tocuda
