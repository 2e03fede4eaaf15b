// tocuda, Apache-2.0.
// Telemetry lines are parsed, and errors name the invalid word.
#include <gtest/gtest.h>

#include "json_lines/simulated_text.hpp"

namespace tocuda {
namespace {

TelemetryLine read(const std::string& text) {
    const auto line = parse_telemetry(text);
    if (!line) throw std::runtime_error(line.error().what);
    return *line;
}

std::string wrong(const std::string& text) {
    const auto line = parse_telemetry(text);
    EXPECT_FALSE(line) << text;
    return line.error().what;
}

TEST(TelemetryText, ParsesEveryKindOfMoment) {
    EXPECT_EQ(read("3 sm_clock_mhz 1").moment, (TelemetryMoment{.reading = 3}));
    EXPECT_EQ(read("0.5s sm_clock_mhz 1").moment, (TelemetryMoment{.after_seconds = 0.5}));
    EXPECT_EQ(read("work sm_clock_mhz 1").moment, (TelemetryMoment{.after_work = 0}));
    EXPECT_EQ(read("work+0.02 sm_clock_mhz 1").moment, (TelemetryMoment{.after_work = 0.02}));
    EXPECT_EQ(read("busy sm_clock_mhz 1").moment, (TelemetryMoment{.while_busy = true}));
    EXPECT_EQ(read("2,process=4,0.5s sm_clock_mhz 1").moment,
              (TelemetryMoment{.reading = 2, .process = 4, .after_seconds = 0.5}));
}

TEST(TelemetryText, ParsesEveryFieldWithItsKindOfValue) {
    for (const auto& field : telemetry_fields) {
        const bool number = field.value == TelemetryField::Value::number;
        const bool reasons = field.value == TelemetryField::Value::reasons;
        const auto line = read("0 " + std::string(field.name) + (number ? " 7" : reasons ? " hw_slowdown" : " 7:8"));
        EXPECT_EQ(line.field, field.name);
        EXPECT_EQ(line.number, number ? 7U : reasons ? 8U : 0U) << field.name;
        EXPECT_EQ(line.processes.size(), number || reasons ? 0U : 1U) << field.name;
    }
}

TEST(TelemetryText, ReasonsAreNvmlBits) {
    EXPECT_EQ(read("0 reasons none").number, 0U);
    EXPECT_EQ(read("0 reasons sw_power_cap,hw_slowdown,hw_thermal").number, 0x4U | 0x8U | 0x40U);
}

TEST(TelemetryText, ParsesOtherProcessesWithTheirMemory) {
    EXPECT_EQ(read("0 processes 12:1073741824,13:5").processes, (std::vector<OtherProcess>{{12, 1 << 30}, {13, 5}}));
    EXPECT_TRUE(read("0 processes none").processes.empty());
}

TEST(TelemetryText, RefusesMalformedLines) {
    for (const char* text :
         {"", "3", "3 sm_clock_mhz", "3 sm_clock_mhz fast", "3 sm_clock_mhz -1", "3 colour 1", "3 violation_ns.noise 1",
          "3 reasons tired", "3 reasons hw_slowdown,", "3 processes 12", "3 processes :", "3 processes 12:5,",
          "soon sm_clock_mhz 1", "work+x sm_clock_mhz 1", "work+-1 sm_clock_mhz 1", "infs sm_clock_mhz 1",
          "3, sm_clock_mhz 1", "process= sm_clock_mhz 1", "3 sm_clock_mhz 1 2"}) {
        EXPECT_FALSE(parse_telemetry(text)) << text;
    }
}

TEST(TelemetryText, NamesTheInvalidWord) {
    EXPECT_EQ(wrong("busy pcie_generation"),
              "'busy pcie_generation': is not MOMENT FIELD VALUE, as in \"busy pcie_generation 5\"");
    EXPECT_EQ(wrong("later sm_clock_mhz 1"),
              "'later sm_clock_mhz 1': 'later' is not a moment; expected 3, 0.5s, work, work+0.02, busy or process=2");
    EXPECT_EQ(wrong("3 sm_clock_mh 1"), "'3 sm_clock_mh 1': 'sm_clock_mh' is unknown (did you mean 'sm_clock_mhz'?)");
    EXPECT_EQ(wrong("3 power_mw much"), "'3 power_mw much': 'much' is not a whole number");
    EXPECT_EQ(wrong("3 reasons hw_slowdwn"),
              "'3 reasons hw_slowdwn': 'hw_slowdwn' is not a throttle reason (did you mean 'hw_slowdown'?)");
    EXPECT_EQ(wrong("3 processes 12"), "'3 processes 12': '12' is not PID:BYTES");
}

}  // namespace
}  // namespace tocuda
