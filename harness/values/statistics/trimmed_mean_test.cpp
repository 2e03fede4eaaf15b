// tocuda, Apache-2.0.
// The trimmed mean against examples worked by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "statistics/order_statistics.hpp"

namespace tocuda {
namespace {

TEST(TrimmedMean, OfFewValuesIsTheOrdinaryMean) {
    const auto mean = trimmed_mean(std::vector<double>{1, 2, 6});
    EXPECT_DOUBLE_EQ(mean.mean, 3);
    EXPECT_DOUBLE_EQ(mean.error, std::sqrt(14.0 / 6));
    EXPECT_EQ(mean.freedom, 2);
}

TEST(TrimmedMean, IgnoresOutliers) {
    const std::vector<double> near{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    auto far = near;
    far.back() = 1e9;
    const auto mean = trimmed_mean(far);
    EXPECT_DOUBLE_EQ(mean.mean, 4.5);
    EXPECT_EQ(mean.freedom, 7);
    // With the outer values replaced: 1 1 2 3 4 5 6 7 8 8, whose squared distances from 4.5 sum to 66.5.
    EXPECT_DOUBLE_EQ(mean.error, std::sqrt(66.5 / (8 * 7)));
    EXPECT_EQ(trimmed_mean(near).mean, mean.mean);
}

TEST(TrimmedMean, OneValueHasNoErrorEstimate) {
    EXPECT_EQ(trimmed_mean(std::vector<double>{7}).freedom, 0);
    EXPECT_EQ(trimmed_mean({}).mean, 0);
}

}  // namespace
}  // namespace tocuda
