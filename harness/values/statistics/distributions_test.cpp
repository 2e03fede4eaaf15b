// tocuda, Apache-2.0.
// The distributions against printed tables and closed forms.
#include "statistics/distributions.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <stdexcept>

namespace tocuda {
namespace {

TEST(Student, QuantilesMatchPrintedTables) {
    EXPECT_NEAR(student_quantile(0.975, 1), 12.7062, 5e-5);
    EXPECT_NEAR(student_quantile(0.975, 4), 2.7764, 5e-5);
    EXPECT_NEAR(student_quantile(0.995, 10), 3.1693, 5e-5);
    EXPECT_NEAR(student_quantile(0.9995, 22), 3.7921, 5e-5);
    EXPECT_NEAR(student_quantile(0.975, 1e7), 1.95996, 5e-5);
}

TEST(Student, WithOneDegreeOfFreedomEqualsCauchy) {
    for (const double value : {-30.0, -1.0, 0.0, 0.001, 2.0, 500.0})
        EXPECT_NEAR(student_cumulative(value, 1), 0.5 + std::atan(value) / std::numbers::pi, 1e-12) << value;
}

TEST(Student, QuantileInvertsCumulative) {
    for (const double freedom : {2.0, 10.0, 198.0})
        for (const double probability : {1e-9, 0.001, 0.3, 0.5, 0.8, 0.99999})
            EXPECT_NEAR(student_cumulative(student_quantile(probability, freedom), freedom) / probability, 1, 1e-9)
                << freedom << " " << probability;
}

TEST(Student, InvalidProbabilityOrFreedomThrows) {
    EXPECT_THROW(student_quantile(1, 4), std::invalid_argument);
    EXPECT_THROW(student_quantile(0.5, 0), std::invalid_argument);
    EXPECT_THROW(normal_quantile(0), std::invalid_argument);
    EXPECT_THROW(chi_squared_quantile(0.5, -1), std::invalid_argument);
    EXPECT_THROW(beta_quantile(1.5, 1, 1), std::invalid_argument);
}

TEST(Student, FarTailsMatchClosedForms) {
    for (const double tail : {1e-3, 1e-6, 1e-9, 1e-15, 1e-100}) {
        EXPECT_NEAR(student_quantile(tail, 1) * std::tan(std::numbers::pi * tail), -1, 1e-11) << tail;
        EXPECT_NEAR(student_quantile(tail, 2) / ((2 * tail - 1) / std::sqrt(2 * tail * (1 - tail))), 1, 1e-11) << tail;
        const double alpha = std::sqrt(4 * tail * (1 - tail));
        const double four = -2 * std::sqrt(std::cos(std::acos(alpha) / 3) / alpha - 1);
        EXPECT_NEAR(student_quantile(tail, 4) / four, 1, 1e-11) << tail;
    }
}

TEST(Normal, QuantileMatchesPrintedTables) {
    EXPECT_NEAR(normal_quantile(0.9), 1.2815515655446004, 1e-13);
    EXPECT_NEAR(normal_quantile(0.0001), -3.7190164854556804, 1e-12);
    EXPECT_NEAR(normal_quantile(1e-9), -5.9978070150076869, 1e-12);
    EXPECT_EQ(normal_quantile(0.5), 0);
}

TEST(ChiSquared, QuantilesMatchPrintedTables) {
    EXPECT_NEAR(chi_squared_quantile(0.1, 1), 0.0157908, 1e-7);
    EXPECT_NEAR(chi_squared_quantile(0.1, 10), 4.86518, 1e-5);
    EXPECT_NEAR(chi_squared_quantile(0.95, 24), 36.4150, 1e-4);
    EXPECT_NEAR(chi_squared_quantile(0.99, 100), 135.807, 1e-3);
    for (const double part : {1e-6, 0.3, 0.999})
        EXPECT_NEAR(chi_squared_quantile(part, 2) / (-2 * std::log1p(-part)), 1, 1e-9) << part;
}

TEST(Beta, QuantilesMatchClosedForms) {
    for (const double part : {0.01, 0.5, 0.95}) {
        EXPECT_NEAR(beta_quantile(part, 1, 1000) / -std::expm1(std::log1p(-part) / 1000), 1, 1e-10) << part;
        EXPECT_NEAR(beta_quantile(part, 7, 1), std::pow(part, 1.0 / 7), 1e-13) << part;
    }
    EXPECT_NEAR(beta_quantile(0.5, 30, 30), 0.5, 1e-12);
}

TEST(Normal, CumulativeMatchesPrintedTables) {
    EXPECT_NEAR(normal_cumulative(1.959964), 0.975, 1e-7);
    EXPECT_NEAR(normal_cumulative(-1.281552), 0.1, 1e-7);
}

TEST(FairCoins, CumulativeCountsCombinations) {
    EXPECT_NEAR(fair_coins_cumulative(0, 6), 1.0 / 64, 1e-15);
    EXPECT_NEAR(fair_coins_cumulative(1, 9), 10.0 / 512, 1e-14);
    EXPECT_NEAR(fair_coins_cumulative(5, 5), 1, 1e-14);
    EXPECT_EQ(fair_coins_cumulative(-1, 5), 0);
    EXPECT_NEAR(fair_coins_cumulative(499, 999), 0.5, 1e-9);
}

}  // namespace
}  // namespace tocuda
