// tocuda, Apache-2.0.
// Telemetry lines: which are read, and which of them holds.
#include "profile/telemetry.hpp"

#include <gtest/gtest.h>

namespace tocuda::stand_in {
namespace {

std::string value_of(const std::vector<std::string>& texts, const TelemetryNow& now) {
    std::vector<TelemetryLine> lines;
    for (const auto& text : texts) {
        const auto line = telemetry_line(text);
        EXPECT_TRUE(line) << text;
        if (line) lines.push_back(*line);
    }
    return telemetry_value(lines, "sm_clock_mhz", now).value_or("nothing");
}

TEST(Telemetry, OfTheLinesThatHoldTheLastCounts) {
    const std::vector<std::string> lines{"0 sm_clock_mhz 345", "3 sm_clock_mhz 1980", "5 sm_clock_mhz 1200", "0 temperature_c 30"};
    EXPECT_EQ(value_of(lines, {.reading = 1}), "345");
    EXPECT_EQ(value_of(lines, {.reading = 3}), "1980");
    EXPECT_EQ(value_of(lines, {.reading = 7}), "1200");
    EXPECT_EQ(value_of({}, {}), "nothing");
}

TEST(Telemetry, FollowsTheWorkOfTheGpu) {
    const std::vector<std::string> lines{"0 sm_clock_mhz 345", "work sm_clock_mhz 1000", "work+0.5 sm_clock_mhz 1980"};
    EXPECT_EQ(value_of(lines, {.seconds = 9}), "345");
    EXPECT_EQ(value_of(lines, {.seconds = 2.4, .work_begin = 2, .work_end = 2.1}), "1000");
    EXPECT_EQ(value_of(lines, {.seconds = 2.5, .work_begin = 2, .work_end = 2.1}), "1980");
}

TEST(Telemetry, IsBusyAndALittleAfter) {
    const std::vector<std::string> lines{"busy sm_clock_mhz 1980"};
    EXPECT_EQ(value_of(lines, {.seconds = 1}), "nothing");
    EXPECT_EQ(value_of(lines, {.seconds = 1.04, .work_begin = 0, .work_end = 1}), "1980");
    EXPECT_EQ(value_of(lines, {.seconds = 1.06, .work_begin = 0, .work_end = 1}), "nothing");
}

TEST(Telemetry, ConditionsHoldTogether) {
    const std::vector<std::string> lines{"2,process=4,0.5s sm_clock_mhz 1"};
    EXPECT_EQ(value_of(lines, {.reading = 2, .process = 4, .seconds = 0.5}), "1");
    EXPECT_EQ(value_of(lines, {.reading = 1, .process = 4, .seconds = 0.5}), "nothing");
    EXPECT_EQ(value_of(lines, {.reading = 2, .process = 3, .seconds = 0.5}), "nothing");
    EXPECT_EQ(value_of(lines, {.reading = 2, .process = 4, .seconds = 0.4}), "nothing");
}

TEST(Telemetry, LinesThatSayNothingAreRefused) {
    for (const char* text : {"", "3", "3 sm_clock_mhz", "3 sm_clock_mhz fast", "3 sm_clock_mhz -1", "3 colour 1", "3 violation_ns.noise 1",
                             "3 reasons tired", "3 processes 12", "soon sm_clock_mhz 1", "work+x sm_clock_mhz 1", "3, sm_clock_mhz 1",
                             "process= sm_clock_mhz 1", "3 sm_clock_mhz 1 2"}) {
        EXPECT_FALSE(telemetry_line(text)) << text;
    }
}

TEST(Telemetry, ReasonsAreTheBitsOfNvml) {
    EXPECT_EQ(clock_reasons("none"), 0U);
    EXPECT_EQ(clock_reasons("sw_power_cap,hw_slowdown,hw_thermal"), 0x4U | 0x8U | 0x40U);
}

TEST(Telemetry, OtherProcessesHaveTheirNumbersAndMemory) {
    const auto others = other_processes("12:1073741824,13:5");
    ASSERT_TRUE(others && others->size() == 2);
    EXPECT_EQ(others->at(0).pid, 12U);
    EXPECT_EQ(others->at(1).bytes, 5U);
    EXPECT_TRUE(other_processes("none") && other_processes("none")->empty());
}

}  // namespace
}  // namespace tocuda::stand_in
