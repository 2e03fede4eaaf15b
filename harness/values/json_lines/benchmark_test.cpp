// tocuda, Apache-2.0.
// Benchmark lines are read back, and damage is refused with the name of the field.
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "json_lines/worker_lines.hpp"

namespace tocuda {
namespace {

const Benchmark benchmark{
    .name = "copy/device_to_device/vector16",
    .summary = "copy",
    .clock = Clock::device,
    .parameters = {{"bytes", {16, 65536}}, {"memory", {"pinned"}}},
    .quick = {{"bytes", {}}},
    .full = {{"bytes", {16, 65536, 1048576}}},
    .allowed = {{"bytes", {.least = 16, .most = 1 << 20, .multiple_of = 16, .because = "it is"}},
                {"threads", {.or_zero = true, .only = {128, 256}}}},
    .alternates = "memory",
    .processes = 1,
    .needs = {.gpus = 1},
    .group = {"memory", 3},
    .cost = {.bytes = Handling::on_gpu, .all_gpus = true, .seconds_of_each_gpu = 1.5, .programs = 2},
    .role = {.sheet = {{.order = 10,
                        .section = "GPU memory",
                        .words = "copy",
                        .having = "bytes=16 memory=pinned",
                        .figure = "memory_bytes_per_second",
                        .touched = true,
                        .time = true,
                        .ratio = true}},
             .characterise = {"bytes=16", ""},
             .headline = headline::copy,
             .pictures = {"one", "two"},
             .heading = "here",
             .question = "How fast",
             .compared = {"*"},
             .campaign = "first",
             .peers = {"someone Copy"},
             .chooses = "copy vector16",
             .over_link = true,
             .libtorch = true,
             .working_set = true,
             .collective = true,
             .unlike = true,
             .tunes = true,
             .touched = true,
             .each_row = true,
             .alone = true,
             .slowest = true,
             .inspected = true}};
const Samples samples{.parameters = {{"bytes", 16}},
                      .status = Status::wrong,
                      .check = "byte 3",
                      .clock = Clock::host,
                      .batch = 4,
                      .bytes_one_way = 16,
                      .bytes_touched = 32,
                      .seconds = {1e-6, 2.5e-6}};

TEST(BenchmarkLines, BenchmarkIsReadBack) {
    const auto read = benchmark_line(to_line(benchmark));
    ASSERT_TRUE(read) << read.error().what;
    EXPECT_EQ(*read, benchmark);
}

TEST(BenchmarkLines, HowItIsTimedIsReadBackAndLeftOutIfEmpty) {
    EXPECT_EQ(to_line(benchmark).find("\"how\""), std::string::npos);
    auto explained = benchmark;
    explained.how = "by two clocks";
    const auto read = benchmark_line(to_line(explained));
    ASSERT_TRUE(read) << read.error().what;
    EXPECT_EQ(*read, explained);
}

TEST(BenchmarkLines, SamplesAreReadBackToTheLastBit) {
    const auto read = samples_line(to_line(samples));
    ASSERT_TRUE(read) << read.error().what;
    EXPECT_EQ(*read, samples);
}

TEST(BenchmarkLines, ParameterSetIsReadBack) {
    const auto read = measure_line(to_line(Parameters{{"bytes", 67108864}, {"memory", "pinned"}}));
    ASSERT_TRUE(read) << read.error().what;
    EXPECT_EQ(std::get<Parameters>(*read), (Parameters{{"bytes", 67108864}, {"memory", "pinned"}}));
}

TEST(BenchmarkLines, GroupAndCostMayBeAbsent) {
    const auto read =
        benchmark_line(R"({"kind":"benchmark","name":"a/b","summary":"b","clock":"host","parameters":{},"needs":{}})");
    ASSERT_TRUE(read) << read.error().what;
    EXPECT_EQ(group_of(*read), (Group{"a", Group::after_others}));
    EXPECT_EQ(read->cost, Cost{});
    EXPECT_EQ(read->role, Role{});
}

// The build makes initializers of the lines that are kept among the sources: nothing of them may be lost or moved.
TEST(BenchmarkLines, RolesThatAreCompiledInAreThoseOfTheDescriptions) {
    std::size_t count = 0;
    for (const auto* worker : {"cuda", "torch"}) {
        std::ifstream lines(std::string(TOCUDA_DESCRIPTIONS) + "/tocuda-" + worker + ".describe.jsonl");
        for (std::string line; std::getline(lines, line);) {
            const auto read = benchmark_line(line);
            if (!read) continue;  // a scenario
            count += read->role == Role{} ? 0 : 1;
            EXPECT_EQ(role_of(read->name), read->role) << read->name;
        }
    }
    EXPECT_GT(count, 100U);
    EXPECT_EQ(described_roles().size(), count);
}

TEST(BenchmarkLines, QuickAndFullMayBeAbsent) {
    const auto read =
        benchmark_line(R"({"kind":"benchmark","name":"a","summary":"b","clock":"host","parameters":{},"needs":{}})");
    ASSERT_TRUE(read) << read.error().what;
    EXPECT_EQ(*read, (Benchmark{.name = "a", .summary = "b", .clock = Clock::host}));
}

TEST(BenchmarkLines, ProtocolIsReadBackAndIsNotAParameterSet) {
    const Protocol protocol{"quick", 1, 3, 20, 0.01, 3};
    const auto read = measure_line(to_line(protocol));
    ASSERT_TRUE(read) << read.error().what;
    EXPECT_EQ(std::get<Protocol>(*read), protocol);
    const auto set = measure_line(R"({"bytes":7})");
    ASSERT_TRUE(set) << set.error().what;
    EXPECT_EQ(std::get<Parameters>(*set), (Parameters{{"bytes", 7}}));
}

TEST(BenchmarkLines, MissingProtocolFieldsKeepTheirDefaults) {
    const auto read = measure_line(R"({"kind":"protocol","launches_max":9})");
    ASSERT_TRUE(read) << read.error().what;
    EXPECT_EQ(std::get<Protocol>(*read), Protocol{.launches_max = 9});
}

TEST(BenchmarkLines, RefusesInconsistentProtocols) {
    EXPECT_EQ(measure_line(R"({"kind":"protocol","launches_min":0})").error().what, "'launches_min' is below 1");
    EXPECT_EQ(measure_line(R"({"kind":"protocol","launches_min":9,"launches_max":8})").error().what,
              "'launches_max' is below 'launches_min'");
    EXPECT_EQ(measure_line(R"({"kind":"protocol","launch_budget_s":-1})").error().what,
              "'launch_budget_s' is negative");
    EXPECT_EQ(measure_line(R"({"kind":"protocol","launches_max":4294967297})").error().what,
              "'launches_max' is out of range");
}

TEST(BenchmarkLines, KindIsFirst) {
    EXPECT_EQ(
        to_line(samples),
        R"({"kind":"samples","parameters":{"bytes":16},"status":"wrong","check":"byte 3","clock":"host","batch":4,)"
        R"("bytes_one_way":16,"bytes_touched":32,"unit":"s","samples":[1e-06,2.5e-06],"flags":[]})");
}

TEST(BenchmarkLines, RefusesDamageWithTheFieldName) {
    EXPECT_EQ(measure_line("[1]").error().what, "not a JSON object");
    EXPECT_EQ(measure_line(R"({"bytes":{}})").error().what, "a value is an object");
    EXPECT_EQ(benchmark_line(R"({"kind":"scenario"})").error().what, "'kind' is not 'benchmark'");
    EXPECT_EQ(benchmark_line(R"({"kind":"benchmark","name":"a","summary":"b","clock":"sun"})").error().what,
              "'sun' is not a valid clock");
    EXPECT_EQ(samples_line(R"({"kind":"samples","parameters":{},"status":"fine"})").error().what,
              "'fine' is not a valid status");
    EXPECT_EQ(samples_line(R"({"kind":"samples"})").error().what, "'parameters' is not an object");
}

}  // namespace
}  // namespace tocuda
