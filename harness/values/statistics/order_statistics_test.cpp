// tocuda, Apache-2.0.
// Medians and quantiles of few, many and no values.
#include "statistics/order_statistics.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <stdexcept>
#include <vector>

namespace tocuda {
namespace {

using List = std::vector<double>;

TEST(Median, IsTheMiddleInAnyOrder) {
    EXPECT_EQ(median(List{3}), 3);
    EXPECT_EQ(median(List{5, 1, 9}), 5);
    EXPECT_EQ(median(List{4, 1, 3, 2}), 2.5);
}

TEST(Median, IgnoresOneOutlier) { EXPECT_EQ(median(List{1, 2, 3, 4, 1e9}), 3); }

TEST(Median, NoValuesOrNanThrows) {
    EXPECT_THROW(median(List{}), std::invalid_argument);
    EXPECT_THROW(median(List{1, std::numeric_limits<double>::quiet_NaN()}), std::invalid_argument);
}

TEST(Quantile, IsLinearBetweenTwoValues) {
    const List values{10, 20, 30, 40, 50};
    EXPECT_EQ(quantile(values, 0), 10);
    EXPECT_EQ(quantile(values, 0.25), 20);
    EXPECT_NEAR(quantile(values, 0.9), 46, 1e-12);
    EXPECT_EQ(quantile(values, 1), 50);
}

TEST(Quantile, OutsideZeroToOneThrows) {
    EXPECT_THROW(quantile(List{1}, 1.1), std::invalid_argument);
    EXPECT_THROW(quantile(List{1}, -0.1), std::invalid_argument);
    EXPECT_THROW(quantile(List{1}, std::numeric_limits<double>::quiet_NaN()), std::invalid_argument);
}

}  // namespace
}  // namespace tocuda
