// tocuda, Apache-2.0.
// Measurement rows are read back, and damage is refused with the name of the field.
#include <gtest/gtest.h>

#include <string>

#include "json_lines/lines.hpp"

namespace tocuda {
namespace {

MeasurementRow full_row() {
    return {.benchmark = "copy/host_to_device/pinned",
            .id = "0123456789abcdef",
            .device = Device::simulated,
            .stand_in = {"runtime 1xH200"},
            .round = 2,
            .process = 5,
            .samples = {.parameters = {{"bytes", 67108864}, {"pages", "fresh"}},
                        .status = Status::ok,
                        .check = "every byte",
                        .clock = Clock::host,
                        .batch = 400,
                        .bytes_one_way = 67108864,
                        .bytes_touched = 134217728,
                        .items = 4096,
                        .seconds = {1.2345678901234567e-3, 1.25e-3},
                        .cycles = 33.125,
                        .tick_seconds = 1e-6,
                        .tail = SingleTimes{.of = 2000, .p50 = 1.25e-3, .p99 = 1.5e-3, .largest = 2e-2},
                        .ranks = RankTimes{.of = 8, .mean = 1.25e-3, .slowest = 1.5e-3},
                        .gpu = "GPU-1",
                        .peer = "GPU-2",
                        .libcuda = "libcuda.so.590.44.01",
                        .peak = {63015385600.0, "PCIe 5.0 x16", Counted::one_way, 1 << 30, 60 << 20},
                        .before = Telemetry{.sm_clock_mhz = 1980,
                                            .memory_clock_mhz = 3201,
                                            .sm_clock_max_mhz = 1981,
                                            .memory_clock_max_mhz = 3202,
                                            .sm_clock_counted_mhz = 1979,
                                            .temperature_c = 41,
                                            .power_w = 120.5,
                                            .reasons = std::vector<std::string>{"sw_power_cap"},
                                            .violation_ns = {{"sw_power_cap", 7}},
                                            .link_generation = 5,
                                            .link_width = 16,
                                            .foreign_processes = 0,
                                            .pcie_replays = 4,
                                            .ecc_corrected = 5'000'000'000,
                                            .ecc_uncorrected = 1,
                                            .xids = std::vector{31, 94}},
                        .during = Telemetry{.temperature_c = -3},
                        .after = Telemetry{.reasons = std::vector<std::string>{}},
                        .course = {{.sm_clock_mhz = 1980, .power_w = 500.5}, {.temperature_c = 60}},
                        .flags = {"foreign_processes"}},
            .imported = Printed{26.34, "GB/s", "median of its trials"}};
}

std::string with(const std::string& from, const std::string& to) {
    auto line = to_line(full_row());
    const auto place = line.find(from);
    EXPECT_NE(place, std::string::npos) << from;
    return line.replace(place, from.size(), to);
}

TEST(MeasurementLine, IsReadBackToTheLastBit) {
    const auto read = measurement_line(to_line(full_row()));
    ASSERT_TRUE(read) << read.error().what;
    EXPECT_EQ(*read, full_row());
}

TEST(MeasurementLine, ShortestRowIsReadBack) {
    const MeasurementRow row{
        .benchmark = "start/context", .id = "00", .samples = {.status = Status::crashed, .check = "signal 11"}};
    const auto read = measurement_line(to_line(row));
    ASSERT_TRUE(read) << read.error().what;
    EXPECT_EQ(*read, row);
}

TEST(MeasurementLine, StartsWithKindBenchmarkAndParameters) {
    EXPECT_TRUE(to_line(full_row())
                    .starts_with(R"({"kind":"measurement","benchmark":"copy/host_to_device/pinned",)"
                                 R"("parameters":{"bytes":67108864,"pages":"fresh"},"id":)"))
        << to_line(full_row());
}

TEST(MeasurementLine, OmitsUnknownFields) {
    const auto line = to_line(MeasurementRow{.benchmark = "a", .id = "b"});
    for (const char* field : {"gpu", "peer", "from_gpu", "to_gpu", "peak", "before", "during", "after", "course",
                              "null", "stand_in", "cycles", "tick", "tail", "ranks", "libcuda"})
        EXPECT_EQ(line.find(field), std::string::npos) << field << " in " << line;
}

TEST(MeasurementLine, ToleratesAdditionalFields) {
    const auto read = measurement_line(with(R"("round":2)", R"("round":2,"weather":{"rain":[1]})"));
    ASSERT_TRUE(read) << read.error().what;
    EXPECT_EQ(*read, full_row());
    EXPECT_TRUE(measurement_line(with(R"("sm_clock_mhz":1980)", R"("sm_clock_mhz":1980,"fan_percent":30)")));
}

TEST(MeasurementLine, RefusesDamageWithTheFieldName) {
    struct Damage {
        const char* from;
        const char* to;
        const char* wrong;
    };
    for (const auto& [from, to, wrong] : {
             Damage{R"("gpu":")", R"("gpu":"\u001b)", "'gpu' contains a control character"},
             {R"("id":")", R"("id":"\u009b)", "'id' contains a control character"},
             {R"("unit":"s")", R"("unit":"s","a\u001b":0,"a\u001b":0)", "'a\xef\xbf\xbd' appears twice"},
             Damage{R"("measurement")", R"("scenario")", "'kind' is not 'measurement'"},
             {R"("benchmark":"copy/host_to_device/pinned",)", "", "'benchmark' is missing"},
             {R"("id":"0123456789abcdef")", R"("id":7)", "'id' has the wrong type"},
             {R"({"bytes":67108864,"pages":"fresh"})", "[]", "'parameters' is not an object"},
             {R"("bytes":67108864,)", R"("bytes":{},)", "a value is an object"},
             {R"("simulated")", R"("imagined")", "'imagined' is not a valid device"},
             {R"("round":2)", R"("round":-2)", "'round' is negative"},
             {R"("process":5)", R"("process":99999999999)", "'process' is out of range"},
             {R"("process":5)", R"("process":5.5)", "'process' has the wrong type"},
             {R"("status":"ok")", R"("status":"fine")", "'fine' is not a valid status"},
             {R"("batch":400)", R"("batch":18446744073709551615)", "'batch' is out of range"},
             {R"("bytes_touched":134217728)", R"("bytes_touched":-1)", "'bytes_touched' is negative"},
             {R"("unit":"s")", R"("unit":"ms")", "'unit' is not 's'"},
             {R"("cycles":33.125)", R"("cycles":-1)", "'cycles' is negative"},
             {R"("of":2000)", R"("of":-1)", "'of' is negative"},
             {R"("largest":0.02)", R"("biggest":0.02)", "'largest' is missing"},
             {R"([0.0012345678901234567,)", R"([-0.001,)", "a sample is negative"},
             {R"([0.0012345678901234567,)", R"([null,)", "a sample is not a number"},
             {R"([0.0012345678901234567,)", R"([NaN,)", "not JSON"},
             {R"([0.0012345678901234567,)", R"([1e999,)", "not JSON: invalid or too large number"},
             {R"("bytes":67108864,)", R"("bytes":18446744073709551615,)", "a value is out of range"},
             {R"("round":2)", R"("round":2,"check":"other")", "'check' appears twice"},
             {R"("sm_clock_mhz":1980)", R"("power_w":1,"sm_clock_mhz":1980)", "'power_w' appears twice"},
             {R"("round":2)", R"("round":2,"weather":[{"rain":1,"rain":2}])", "'rain' appears twice"},
             {R"("every byte")", "\"every \xff byte\"", "not JSON: not UTF-8"},
             {R"("samples":[0.0012345678901234567,0.00125])", R"("samples":0.1)", "'samples' is not a list"},
             {R"("sm_clock_mhz":1980)", R"("sm_clock_mhz":"fast")", "'sm_clock_mhz' has the wrong type"},
             {R"("reasons":["sw_power_cap"])", R"("reasons":[5])", "'reasons' contains something other than text"},
             {R"("violation_ns":{"sw_power_cap":7})", R"("violation_ns":{"sw_power_cap":-7})",
              "'sw_power_cap' is negative"},
             {R"("peak_counted":"one_way")", R"("peak_counted":"twice")", "'twice' is not a valid peak_counted"},
             {R"("flags":["foreign_processes"])", R"("flags":"foreign_processes")", "'flags' is not a list"},
         })
        EXPECT_EQ(measurement_line(with(from, to)).error().what, wrong) << from << " -> " << to;
}

TEST(MeasurementLine, RefusesEveryCutOffLine) {
    const auto line = to_line(full_row());
    for (std::size_t length = 0; length < line.size(); ++length)
        EXPECT_FALSE(measurement_line(line.substr(0, length))) << length;
}

TEST(MeasurementLine, AlteredBytesNeverThrowOrGiveNegativeTimes) {
    const auto line = to_line(full_row());
    for (std::size_t place = 0; place < line.size(); ++place)
        for (const char altered : {'-', '"', ',', '}', '[', '9', 'e', '\\', '\0', '\xff'}) {
            auto damaged = line;
            damaged[place] = altered;
            Expected<MeasurementRow> read;
            ASSERT_NO_THROW(read = measurement_line(damaged)) << damaged;
            if (!read) ASSERT_FALSE(read.error().what.empty()) << damaged;
            else
                for (const double seconds : read->samples.seconds) ASSERT_GE(seconds, 0) << damaged;
        }
}

TEST(MeasurementLine, ReplacesControlCharactersInTexts) {
    MeasurementRow row{.benchmark = "a",
                       .id = "b",
                       .stand_in = {"runtime \x1b"},
                       .samples = {.check = "no\n\x1b[31mmemory", .seconds = {1e-3}}};
    row.samples.peak = {1e9, "a \x1b link", Counted::one_way};
    row.samples.flags = {"\x1b"};
    const auto read = measurement_line(to_line(row));
    ASSERT_TRUE(read) << read.error().what;
    EXPECT_EQ(read->samples.check, "no \xef\xbf\xbd[31mmemory");
    EXPECT_EQ(to_line(*read).find("\\u001b"), std::string::npos) << to_line(*read);
}

}  // namespace
}  // namespace tocuda
