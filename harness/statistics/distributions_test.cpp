// tocuda, Apache-2.0.
// The distributions against printed tables and closed forms.
#include "statistics/distributions.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <stdexcept>

namespace tocuda {
namespace {

TEST(Student, QuantilesAreThoseOfThePrintedTables) {
    EXPECT_NEAR(student_quantile(0.975, 1), 12.7062, 5e-5);
    EXPECT_NEAR(student_quantile(0.975, 4), 2.7764, 5e-5);
    EXPECT_NEAR(student_quantile(0.995, 10), 3.1693, 5e-5);
    EXPECT_NEAR(student_quantile(0.9995, 22), 3.7921, 5e-5);
    EXPECT_NEAR(student_quantile(0.975, 1e7), 1.95996, 5e-5);
}

TEST(Student, WithOneDegreeOfFreedomIsCauchys) {
    for (const double value : {-30.0, -1.0, 0.0, 0.001, 2.0, 500.0})
        EXPECT_NEAR(student_cumulative(value, 1), 0.5 + std::atan(value) / std::numbers::pi, 1e-12) << value;
}

TEST(Student, QuantileAndCumulativeAreEachOthersInverse) {
    for (const double freedom : {2.0, 10.0, 198.0})
        for (const double probability : {1e-9, 0.001, 0.3, 0.5, 0.8, 0.99999})
            EXPECT_NEAR(student_cumulative(student_quantile(probability, freedom), freedom) / probability, 1, 1e-9)
                << freedom << " " << probability;
}

TEST(Student, WhatIsNoProbabilityThrows) {
    EXPECT_THROW(student_quantile(1, 4), std::invalid_argument);
    EXPECT_THROW(student_quantile(0.5, 0), std::invalid_argument);
}

TEST(Normal, CumulativeIsThatOfThePrintedTables) {
    EXPECT_NEAR(normal_cumulative(1.959964), 0.975, 1e-7);
    EXPECT_NEAR(normal_cumulative(-1.281552), 0.1, 1e-7);
}

TEST(FairCoins, CumulativeCountsTheWays) {
    EXPECT_NEAR(fair_coins_cumulative(0, 6), 1.0 / 64, 1e-15);
    EXPECT_NEAR(fair_coins_cumulative(1, 9), 10.0 / 512, 1e-14);
    EXPECT_NEAR(fair_coins_cumulative(5, 5), 1, 1e-14);
    EXPECT_EQ(fair_coins_cumulative(-1, 5), 0);
    EXPECT_NEAR(fair_coins_cumulative(499, 999), 0.5, 1e-9);
}

}  // namespace
}  // namespace tocuda
