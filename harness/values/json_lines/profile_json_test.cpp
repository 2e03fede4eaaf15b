// tocuda, Apache-2.0.
// A profile is read completely or refused with the name of the invalid field.
#include "json_lines/profile_json.hpp"

#include <gtest/gtest.h>

namespace tocuda {
namespace {

std::string wrong(const std::string& text) {
    const auto read = gpu_profile(text, "my.json");
    EXPECT_FALSE(read) << text;
    return read.error().what;
}

// A profile with `more` after its required fields.
std::string with(const std::string& more) {
    return R"({"name":"G","compute_capability":"8.6","figures":{"memory_bytes":1073741824,"multiprocessors":4})" +
           more + "}";
}

std::string with_figures(const std::string& figures) {
    return R"({"name":"G","compute_capability":"8.6","figures":{)" + figures + "}}";
}

TEST(GpuProfile, ReadsEverything) {
    const auto read = gpu_profile(with(
                                      R"(,"attributes":{"95":1},"noise":0.02,"drift_per_second":-0.5,"occupied_bytes":7,
        "telemetry":["work+0.02,process=2 sm_clock_mhz 1980"],
        "sources":{"a sheet":["memory_bytes"]},"unknown":["l2_bytes"],
        "machine":{"driver":12080,"driver_name":"570.1","boot":"b","clock":"2026-11-21T10:00:00Z","peer_access":false,
        "host_memory_bytes":5,"planned_as_real":true,"error_texts":{"2":"no memory left"},"faults":["cudaMalloc 3 2"],
        "links":[{"from":1,"to":0,"bytes_per_second":7},{"from":0,"to":1,"latency_ns":9}]})"),
                                  "my.json");
    ASSERT_TRUE(read) << read.error().what;
    GpuProfile expected{.figures = {"memory_bytes", "multiprocessors"},
                        .sources = {{"a sheet", {"memory_bytes"}}},
                        .unknown = {"l2_bytes"},
                        .machine = Simulation{.boot = "b", .clock = "2026-11-21T10:00:00Z", .planned_as_real = true}};
    auto& gpu = expected.gpu;
    gpu.name = "G";
    gpu.compute_major = 8;
    gpu.compute_minor = 6;
    gpu.memory_bytes = 1 << 30;
    gpu.multiprocessors = 4;
    gpu.attributes = {{95, 1}};
    gpu.noise = 0.02;
    gpu.drift_per_second = -0.5;
    gpu.occupied_bytes = 7;
    gpu.telemetry = {{.moment = {.process = 2, .after_work = 0.02}, .field = "sm_clock_mhz", .number = 1980}};
    expected.machine->machine = {
        .driver_version = 12080,
        .driver_name = "570.1",
        .peer_access = false,
        .host_memory_bytes = 5,
        .error_texts = {{2, "no memory left"}},
        .faults = {{.function = "cudaMalloc", .call = 3, .error = 2}},
        .links = {{.from = 1, .to = 0, .bytes_per_second = 7}, {.from = 0, .to = 1, .latency_ns = 9}}};
    EXPECT_EQ(*read, expected);
}

TEST(GpuProfile, NamesMissingFields) {
    EXPECT_EQ(wrong(R"({"compute_capability":"8.6","figures":{}})"), "my.json: name: is missing");
    EXPECT_EQ(wrong(R"({"name":"G","figures":{}})"), "my.json: compute_capability: is missing");
    EXPECT_EQ(wrong(R"({"name":"G","compute_capability":"8.6"})"), "my.json: figures: is missing");
    EXPECT_EQ(wrong(with_figures(R"("multiprocessors":4)")), "my.json: figures.memory_bytes: is missing");
}

// Every field of the schema is read by name, and its limits are enforced.
TEST(GpuProfile, AcceptsEveryFigureWithinItsLimits) {
    const auto reading = [](const GpuFigure& figure, const std::string& value) {
        const bool required = figure.name == "memory_bytes" || figure.name == "multiprocessors";
        return gpu_profile(
            required ? with_figures("\"" + std::string(figure.name) + "\":" + value + ",\"" +
                                    (figure.name == "memory_bytes" ? "multiprocessors\":4" : "memory_bytes\":2097152"))
                     : with_figures("\"memory_bytes\":2097152,\"multiprocessors\":4,\"" + std::string(figure.name) +
                                    "\":" + value),
            "my.json");
    };
    for (const auto& figure : gpu_figures) {
        for (const auto value : {figure.least, figure.most}) {
            const auto read = reading(figure, std::to_string(value));
            ASSERT_TRUE(read) << read.error().what;
            EXPECT_EQ(read->gpu.*figure.member, value) << figure.name;
        }
        const auto limits = "figures." + std::string(figure.name) + ": is not between " + std::to_string(figure.least) +
                            " and " + std::to_string(figure.most);
        EXPECT_EQ(reading(figure, std::to_string(figure.least - 1)).error().what, "my.json: " + limits);
        EXPECT_EQ(reading(figure, "99999999999999999999").error().what.find("my.json: "), 0u) << figure.name;
    }
}

TEST(GpuProfile, AcceptsEveryConditionWithinItsLimits) {
    for (const auto& condition : gpu_conditions) {
        const auto with_value = [&](std::int64_t value) {
            return with(",\"" + std::string(condition.name) + "\":" + std::to_string(value));
        };
        const auto read = gpu_profile(with_value(condition.most), "my.json");
        ASSERT_TRUE(read) << read.error().what;
        EXPECT_EQ(read->gpu.*condition.member, condition.most) << condition.name;
        EXPECT_EQ(wrong(with_value(condition.most + 1)), "my.json: " + std::string(condition.name) +
                                                             ": is not between " + std::to_string(condition.least) +
                                                             " and " + std::to_string(condition.most));
    }
}

TEST(GpuProfile, AcceptsEveryVariationWithinItsLimits) {
    for (const auto& variation : gpu_variations) {
        const auto read = gpu_profile(with(",\"" + std::string(variation.name) + "\":0.5"), "my.json");
        ASSERT_TRUE(read) << read.error().what;
        EXPECT_EQ(read->gpu.*variation.member, 0.5) << variation.name;
        EXPECT_NE(wrong(with(",\"" + std::string(variation.name) + "\":-2")).find(": is not a number between"),
                  std::string::npos)
            << variation.name;
    }
}

TEST(GpuProfile, NamesUnknownFieldsTheNearestAndTheList) {
    const std::string list = "; `tocuda __simulation --fields` lists all";
    EXPECT_EQ(wrong(with(R"(,"nosie":0.1)")), "my.json: nosie: is unknown (did you mean 'noise'?)" + list);
    EXPECT_EQ(wrong(with_figures(R"("memory_byte":1)")),
              "my.json: figures.memory_byte: is unknown (did you mean 'memory_bytes'?)" + list);
    EXPECT_EQ(wrong(with(R"(,"machine":{"colour":1})")), "my.json: machine.colour: is unknown" + list);
    EXPECT_EQ(wrong(with(R"(,"unknown":["l2_byte"])")),
              "my.json: unknown: 'l2_byte' is not a figure (did you mean 'l2_bytes'?)");
}

TEST(GpuProfile, NamesFieldsOfTheWrongType) {
    EXPECT_EQ(wrong(R"({"name":7})"), "my.json: name: is not a string");
    EXPECT_EQ(wrong(with_figures(R"("memory_bytes":"1GiB")")), "my.json: figures.memory_bytes: is not a whole number");
    EXPECT_EQ(wrong(with_figures(R"("memory_bytes":1.5e9)")), "my.json: figures.memory_bytes: is not a whole number");
    EXPECT_EQ(wrong(with(R"(,"attributes":{"warp":1})")),
              "my.json: attributes.warp: the key is not a whole number from 0");
    EXPECT_EQ(wrong(with(R"(,"noise":"much")")), "my.json: noise: is not a number between 0 and 1");
    EXPECT_EQ(wrong(with(R"(,"outlier_factor":0)")), "my.json: outlier_factor: is not a number between 0.1 and 1000");
    EXPECT_EQ(wrong(with(R"(,"telemetry":"busy")")), "my.json: telemetry: is not a list");
    EXPECT_EQ(wrong(with(R"(,"telemetry":["later sm_clock_mhz 1"])")),
              "my.json: telemetry: 'later sm_clock_mhz 1': 'later' is not a moment; expected 3, 0.5s, work, work+0.02, "
              "busy or process=2");
    EXPECT_EQ(wrong(with(R"(,"telemetry":["3 sm_clock_mh 1"])")),
              "my.json: telemetry: '3 sm_clock_mh 1': 'sm_clock_mh' is unknown (did you mean 'sm_clock_mhz'?)");
    EXPECT_EQ(wrong(with(R"(,"machine":{"peer_access":"all"})")),
              "my.json: machine.peer_access: is neither true nor false");
    EXPECT_EQ(wrong(with(R"(,"machine":{"links":{}})")), "my.json: machine.links: is not a list");
    EXPECT_EQ(wrong(with(R"(,"machine":{"links":[{"from":1}]})")), "my.json: machine.links.to: is missing");
    EXPECT_EQ(wrong(with(R"(,"machine":{"links":[{"from":1,"to":1}]})")),
              "my.json: machine.links.to: a GPU has no link to itself");
    EXPECT_EQ(wrong(with(R"(,"machine":{"links":[{"from":1,"to":0},{"from":0,"to":1},{"from":1,"to":0}]})")),
              "my.json: machine.links: has two links from GPU 1 to GPU 0");
    EXPECT_EQ(wrong(with(R"(,"machine":{"faults":"x"})")), "my.json: machine.faults: is not a list");
    EXPECT_EQ(
        wrong(with(R"(,"machine":{"faults":["cudaMemcpyAsync 3 foo"]})")),
        "my.json: machine.faults: fault 'cudaMemcpyAsync 3 foo': 'foo' is neither an error number nor 'hang' nor "
        "'wrong'; a fault is FUNCTION CALL ERROR|hang|wrong [sticky], as in 'cudaMalloc 3 2 sticky', or peer FROM TO "
        "lost|mirrored|stalled|uncopied");
}

TEST(GpuProfile, RefusesAbsurdNumbers) {
    for (const char* number : {"0", "-1", "1152921504606846976", "18446744073709551615"})
        EXPECT_EQ(wrong(with_figures(std::string(R"("memory_bytes":)") + number))
                      .find("my.json: figures.memory_bytes: is not between"),
                  0u)
            << number;
}

TEST(GpuProfile, ChecksTheFormOfComputeCapability) {
    for (const char* text : {"9", "9.", "9..", ".0", "9.0.0", "sm_90", "90", "1000.0"})
        EXPECT_EQ(wrong(std::string(R"({"name":"G","compute_capability":")") + text + R"(","figures":{}})"),
                  "my.json: compute_capability: is not of the form \"9.0\"")
            << text;
}

TEST(GpuProfile, RefusesTextsThatWouldBreakTheSimulationFile) {
    EXPECT_NE(wrong(R"({"name":"G\ngpu"})").find("line break"), std::string::npos);
    EXPECT_NE(wrong(with(R"(,"machine":{"driver_name":"5\t9"})"))
                  .find("machine.driver_name: is empty or contains a line break or another control"),
              std::string::npos);
}

TEST(GpuProfile, RefusesFiguresThatAreAlsoUnknown) {
    EXPECT_EQ(wrong(with(R"(,"unknown":["memory_bytes"])")),
              "my.json: unknown: 'memory_bytes' has a value in figures; leave it out here");
}

TEST(GpuProfile, RefusesInvalidJson) {
    for (const char* text : {"", "{", "[]", "null", "{\"name\":\"G\"} x", "\xff"})
        EXPECT_EQ(wrong(text).find("my.json: not "), 0u) << text;
}

}  // namespace
}  // namespace tocuda
