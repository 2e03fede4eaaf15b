// tocuda, Apache-2.0.
// The interval of a median: its ends, its level, and that it covers the median as often as its level says.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "statistics/order_statistics.hpp"

namespace tocuda {
namespace {

std::vector<double> first(int count) {
    std::vector<double> values;
    for (int i = count; i > 0; --i) values.push_back(i);
    return values;
}

TEST(MedianInterval, IsNoneBelowSixValuesAtNinetyFivePercent) {
    for (int n = 0; n < 6; ++n) EXPECT_FALSE(median_interval(first(n))) << n;
    EXPECT_TRUE(median_interval(first(6)));
}

TEST(MedianInterval, EndsMatchPrintedTablesOfTheSignTest) {
    struct Expected {
        int n;
        double low, high, level;
    };
    for (const auto& [n, low, high, level] :
         {Expected{6, 1, 6, 0.96875}, Expected{8, 1, 8, 0.9921875}, Expected{9, 2, 8, 0.9609375},
          Expected{12, 3, 10, 0.96142578125}, Expected{20, 6, 15, 0.9586105}}) {
        const auto interval = median_interval(first(n));
        ASSERT_TRUE(interval) << n;
        EXPECT_EQ(interval->low, low) << n;
        EXPECT_EQ(interval->high, high) << n;
        EXPECT_NEAR(interval->level, level, 1e-7) << n;
    }
}

TEST(MedianInterval, OtherLevelsNeedOtherCounts) {
    EXPECT_TRUE(median_interval(first(5), 0.90));
    EXPECT_FALSE(median_interval(first(7), 0.99));
    EXPECT_TRUE(median_interval(first(8), 0.99));
}

TEST(MedianInterval, CoversTheTrueMedianAsOftenAsItsLevel) {
    std::mt19937_64 random(20261121);
    constexpr int tries = 20000;
    constexpr int processes = 9;
    int covered = 0;
    double level = 0;
    for (int i = 0; i < tries; ++i) {
        std::vector<double> values;
        // Skewed, as times are: exponential, with the median ln 2.
        for (int j = 0; j < processes; ++j)
            values.push_back(-std::log((static_cast<double>(random() >> 11) + 0.5) / 9007199254740992.0));
        const auto interval = median_interval(values);
        level = interval->level;
        if (interval->low <= std::log(2) && std::log(2) <= interval->high) ++covered;
    }
    EXPECT_NEAR(static_cast<double>(covered) / tries, level, 0.006);  // four standard errors
}

TEST(MedianInterval, HalfWidthIsRelativeToTheMedian) {
    EXPECT_EQ((MedianInterval{1.5, 2.5, 0.97}.relative_half_width(2)), 0.25);
    EXPECT_EQ((MedianInterval{2, 2, 0.97}.relative_half_width(2)), 0);
}

}  // namespace
}  // namespace tocuda
