// tocuda, Apache-2.0.
#include <gtest/gtest.h>

#include "summary/row_summary.hpp"
#include "summary/validity.hpp"

namespace tocuda {
namespace {

// The first half of the seconds at one speed, the second half at another.
Samples course(std::size_t count, double first, double last, std::optional<int> clock = {}) {
    Samples samples;
    for (std::size_t i = 0; i < count; ++i) {
        samples.seconds.push_back(2 * i < count ? first : last);
        samples.course.push_back({.sm_clock_mhz = clock ? std::optional(2 * i < count ? 1980 : *clock) : std::nullopt,
                                  .temperature_c = 40 + static_cast<int>(i)});
    }
    return samples;
}

TEST(Holding, SlowerEndIsToldWithTheClocks) {
    EXPECT_EQ(holding(course(60, 0.93, 1, 1755)),
              "slower at the end: the last 10 s are 7.0 % below the first 10 s; SM clock 1980 to 1755 MHz");
    EXPECT_EQ(holding(course(20, 0.5, 1)), "slower at the end: the last 10 s are 50.0 % below the first 10 s");
}

TEST(Holding, FasterEndIsToldToo) {
    EXPECT_EQ(holding(course(60, 1.1, 1)), "faster at the end: the last 10 s are 10.0 % above the first 10 s");
}

TEST(Holding, LessThanTwoPercentIsHeld) {
    for (const double last : {0.99, 1.0, 1.019})
        EXPECT_EQ(holding(course(60, 1, last)), "held its speed: the last 10 s are within 2.0 % of the first 10 s");
    EXPECT_NE(holding(course(60, 1, 1.03)).find("slower"), std::string::npos);
}

TEST(Holding, OneSlowSecondChangesNothing) {
    auto samples = course(60, 1, 1);
    samples.seconds.back() = 100;
    EXPECT_TRUE(holding(samples).starts_with("held its speed"));
}

TEST(Holding, TooFewOrOtherSamplesSayNothing) {
    EXPECT_EQ(holding(course(19, 1, 2)), "");
    EXPECT_EQ(holding({.seconds = std::vector<double>(60, 1)}), "");
    EXPECT_EQ(holding({}), "");
}

TEST(Holding, IsAFlagOfTheRowBesideItsCourse) {
    MeasurementRow row{.benchmark = "sustained/host_to_device", .id = "x", .samples = course(60, 0.5, 1, 990)};
    const auto summary = summaries({&row, 1}).at(0);
    ASSERT_EQ(summary.course.size(), 60U);
    EXPECT_EQ(summary.course[59], (CourseSecond{1, 990, {}, 99}));
    ASSERT_EQ(summary.flags.size(), 1U);
    EXPECT_TRUE(summary.flags[0].detail.starts_with("slower at the end"));
}

// What throttles during a minute is what the measurement is to show.
TEST(Holding, ThrottlingIsAFlagAndInvalidatesNothing) {
    auto samples = course(60, 1, 1);
    samples.before = Telemetry{.violation_ns = {{"hw_thermal", 0}}};
    samples.after = Telemetry{.violation_ns = {{"hw_thermal", 1'000'000'000}}};
    EXPECT_EQ(why_invalid(samples, {}), "");
    const auto flags = flags_of(samples);
    EXPECT_EQ(flags.front(), "hw_thermal");
    EXPECT_EQ(flags.size(), 2U);
}

}  // namespace
}  // namespace tocuda
