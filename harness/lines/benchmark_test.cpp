// tocuda, Apache-2.0.
// Benchmark lines: what is written is read back, and what is damaged is refused by name.
#include "lines/benchmark.hpp"

#include <gtest/gtest.h>

namespace tocuda {
namespace {

const Benchmark benchmark{.name = "copy/device_to_device/vector16", .summary = "copy", .clock = Clock::device,
                          .parameters = {{"bytes", {16, 65536}}, {"memory", {"pinned"}}}, .needs = {.gpus = 1}};
const Samples samples{.parameters = {{"bytes", 16}}, .status = Status::wrong, .check = "byte 3", .clock = Clock::host, .batch = 4,
                      .bytes_one_way = 16, .bytes_touched = 32, .seconds = {1e-6, 2.5e-6}};

TEST(BenchmarkLines, ABenchmarkIsReadBack) {
    const auto read = benchmark_line(to_line(benchmark));
    ASSERT_TRUE(read) << read.wrong;
    EXPECT_EQ(*read, benchmark);
}

TEST(BenchmarkLines, SamplesAreReadBackToTheLastBit) {
    const auto read = samples_line(to_line(samples));
    ASSERT_TRUE(read) << read.wrong;
    EXPECT_EQ(*read, samples);
}

TEST(BenchmarkLines, AParameterSetIsReadBack) {
    const auto read = parameters_line(to_line(Parameters{{"bytes", 67108864}, {"memory", "pinned"}}));
    ASSERT_TRUE(read) << read.wrong;
    EXPECT_EQ(*read, (Parameters{{"bytes", 67108864}, {"memory", "pinned"}}));
}

TEST(BenchmarkLines, KindStandsFirst) {
    EXPECT_EQ(to_line(samples),
              R"({"kind":"samples","parameters":{"bytes":16},"status":"wrong","check":"byte 3","clock":"host","batch":4,)"
              R"("bytes_one_way":16,"bytes_touched":32,"unit":"s","samples":[1e-06,2.5e-06]})");
}

TEST(BenchmarkLines, WhatIsDamagedIsRefusedByName) {
    EXPECT_EQ(parameters_line("[1]").wrong, "not a JSON object");
    EXPECT_EQ(parameters_line(R"({"bytes":{}})").wrong, "a value is an object");
    EXPECT_EQ(benchmark_line(R"({"kind":"scenario"})").wrong, "'kind' is not 'benchmark'");
    EXPECT_EQ(benchmark_line(R"({"kind":"benchmark","name":"a","summary":"b","clock":"sun"})").wrong, "'sun' is no clock");
    EXPECT_EQ(samples_line(R"({"kind":"samples","parameters":{},"status":"fine"})").wrong, "'fine' is no status");
    EXPECT_EQ(samples_line(R"({"kind":"samples"})").wrong, "'parameters' is no object");
}

}  // namespace
}  // namespace tocuda
