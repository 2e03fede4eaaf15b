// tocuda, Apache-2.0.
// The fit recovers the parameters that the times were made from, and refuses unsuitable times.
#include "statistics/line_fit.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace tocuda {
namespace {

using Points = std::vector<SizeTime>;

// Sizes in powers of 4, from 4 B to 4 GiB.
Points times_of(double t0, double bytes_per_second, double noise) {
    std::mt19937_64 random(6);
    Points points;
    for (double bytes = 4; bytes <= 4294967296.0; bytes *= 4) {
        const double miss = noise * (static_cast<double>(random() >> 11) / 9007199254740992.0 * 2 - 1);
        points.push_back({bytes, (t0 + bytes / bytes_per_second) * (1 + miss)});
    }
    return points;
}

TEST(LineFit, FindsStartAndBandwidthOverNineOrdersOfMagnitude) {
    const auto [fit, because] = fit_line(times_of(7.5e-6, 55.6e9, 0));
    ASSERT_TRUE(fit) << because;
    EXPECT_NEAR(fit->t0_seconds / 7.5e-6, 1, 1e-9);
    EXPECT_NEAR(fit->bytes_per_second / 55.6e9, 1, 1e-9);
    EXPECT_NEAR(fit->half_bandwidth_bytes(), 417000, 1);
    EXPECT_LT(fit->residual, 1e-9);
}

TEST(LineFit, OnePercentNoiseMovesItByLessAndShowsInTheResidual) {
    const auto [fit, because] = fit_line(times_of(2e-6, 3.3e12, 0.01));
    ASSERT_TRUE(fit) << because;
    EXPECT_NEAR(fit->t0_seconds / 2e-6, 1, 0.01);
    EXPECT_NEAR(fit->bytes_per_second / 3.3e12, 1, 0.01);
    EXPECT_GT(fit->residual, 0.002);
    EXPECT_LT(fit->residual, 0.01);
}

TEST(LineFit, NeedsThreeSizes) {
    EXPECT_EQ(fit_line(Points{}).because, "0 sizes: a fit needs 3");
    EXPECT_EQ(fit_line(Points{{4, 1e-6}}).because, "1 size: a fit needs 3");
    EXPECT_EQ(fit_line(Points{{4, 1e-6}, {4, 2e-6}, {16, 3e-6}}).because, "2 sizes: a fit needs 3");
}

TEST(LineFit, RefusesSizesThatDoNotShowAStartUpTime) {
    const auto refused = fit_line(Points{{1e9, 0.9}, {2e9, 2.1}, {4e9, 4.4}});
    EXPECT_FALSE(refused.fit);
    EXPECT_EQ(refused.because, "the start-up time is negative: these sizes do not show it");
    const auto uncertain = fit_line(Points{{1e9, 1.02}, {2e9, 1.98}, {4e9, 4.05}, {8e9, 8.0}});
    EXPECT_FALSE(uncertain.fit);
    EXPECT_EQ(uncertain.because, "the start-up time is smaller than its uncertainty: these sizes do not show it");
}

TEST(LineFit, RefusesSizesThatDoNotShowABandwidth) {
    const auto falling = fit_line(Points{{4, 5e-6}, {16, 4e-6}, {64, 3e-6}});
    EXPECT_EQ(falling.because, "the times do not grow with the sizes: they show no bandwidth");
    const auto level = fit_line(Points{{4, 5.0e-6}, {16, 5.1e-6}, {64, 4.9e-6}, {256, 5.05e-6}});
    EXPECT_FALSE(level.fit);
    const auto rounded = fit_line(Points{{4096, 3e-6}, {1048576, 3e-6}, {16777216, 3e-6 * (1 + 1e-15)}});
    EXPECT_EQ(rounded.because, "the times do not grow with the sizes: they show no bandwidth");
}

TEST(LineFit, RefusesTimesThatAreNoLine) {
    const auto stepped =
        fit_line(Points{{4, 1e-6}, {16, 1e-6}, {64, 9e-3}, {4096, 1e-6}, {16384, 9e-3}, {65536, 9.1e-3}});
    EXPECT_FALSE(stepped.fit);
    EXPECT_NE(stepped.because.find("not a straight line"), std::string::npos) << stepped.because;
}

TEST(LineFit, RefusesInvalidTimes) {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    for (const SizeTime& damaged :
         {SizeTime{4, 0}, SizeTime{4, -1}, SizeTime{-4, 1}, SizeTime{nan, 1}, SizeTime{4, nan}})
        EXPECT_EQ(fit_line(Points{damaged, {16, 1}, {64, 2}}).because, "a size or a time is invalid");
}

}  // namespace
}  // namespace tocuda
