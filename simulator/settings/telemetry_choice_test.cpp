// tocuda, Apache-2.0.
#include <gtest/gtest.h>

#include "settings/simulation_file.hpp"

namespace tocuda::simulator {
namespace {

TelemetryLine sm_clock(const TelemetryMoment& moment, std::uint64_t megahertz) {
    return {.moment = moment, .field = "sm_clock_mhz", .number = megahertz};
}

std::optional<std::uint64_t> value_of(const std::vector<TelemetryLine>& lines, const TelemetryNow& now) {
    const auto* line = telemetry_line(lines, "sm_clock_mhz", now);
    return line == nullptr ? std::nullopt : std::optional(line->number);
}

TEST(Telemetry, LastMatchingLineApplies) {
    const std::vector<TelemetryLine> lines{sm_clock({}, 345),
                                           sm_clock({.reading = 3}, 1980),
                                           sm_clock({.reading = 5}, 1200),
                                           {.field = "temperature_c", .number = 30}};
    EXPECT_EQ(value_of(lines, {.reading = 1}), 345U);
    EXPECT_EQ(value_of(lines, {.reading = 3}), 1980U);
    EXPECT_EQ(value_of(lines, {.reading = 7}), 1200U);
    EXPECT_EQ(value_of({}, {}), std::nullopt);
}

TEST(Telemetry, FollowsWorkOfGpu) {
    const std::vector<TelemetryLine> lines{sm_clock({}, 345), sm_clock({.after_work = 0}, 1000),
                                           sm_clock({.after_work = 0.5}, 1980)};
    EXPECT_EQ(value_of(lines, {.seconds = 9}), 345U);
    EXPECT_EQ(value_of(lines, {.seconds = 2.4, .work_begin = 2, .work_end = 2.1}), 1000U);
    EXPECT_EQ(value_of(lines, {.seconds = 2.5, .work_begin = 2, .work_end = 2.1}), 1980U);
}

TEST(Telemetry, BusyIncludesShortTimeAfterWork) {
    const std::vector<TelemetryLine> lines{sm_clock({.while_busy = true}, 1980)};
    EXPECT_EQ(value_of(lines, {.seconds = 1}), std::nullopt);
    EXPECT_EQ(value_of(lines, {.seconds = 1.04, .work_begin = 0, .work_end = 1}), 1980U);
    EXPECT_EQ(value_of(lines, {.seconds = 1.06, .work_begin = 0, .work_end = 1}), std::nullopt);
}

TEST(Telemetry, AllConditionsMustHold) {
    const std::vector<TelemetryLine> lines{sm_clock({.reading = 2, .process = 4, .after_seconds = 0.5}, 1)};
    EXPECT_EQ(value_of(lines, {.reading = 2, .process = 4, .seconds = 0.5}), 1U);
    EXPECT_EQ(value_of(lines, {.reading = 1, .process = 4, .seconds = 0.5}), std::nullopt);
    EXPECT_EQ(value_of(lines, {.reading = 2, .process = 3, .seconds = 0.5}), std::nullopt);
    EXPECT_EQ(value_of(lines, {.reading = 2, .process = 4, .seconds = 0.4}), std::nullopt);
}

}  // namespace
}  // namespace tocuda::simulator
