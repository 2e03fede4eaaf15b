// tocuda, Apache-2.0.
// Tests what a worker with benchmarks answers, line by line.
#include "measurement/answer.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <stdexcept>

#include "json_lines/worker_lines.hpp"
#include "measurement/fake_instruments_test.hpp"

namespace tocuda {
namespace {

struct Answered {
    int code = 0;
    std::vector<std::string> lines{};
    std::string complaint{};
};

Measurable twice() {
    return {{.name = "copy/twice",
             .summary = "s",
             .clock = Clock::host,
             .parameters = {{"bytes", {16}}},
             .needs = {.gpus = 1}},
            [](const std::vector<Parameters>&) { return std::make_unique<FakeBench>(Clock::host); }};
}

Answered measure(
    const std::string& name, const std::string& input,
    const TakeInstruments& take = [] { return std::make_unique<FakeInstruments>(); }) {
    std::istringstream lines(input);
    std::ostringstream complaint;
    Answered answered;
    answered.code =
        answer_with({twice()}, take)
            .measure(name, lines, [&](const std::string& line) { answered.lines.push_back(line); }, complaint);
    answered.complaint = complaint.str();
    return answered;
}

TEST(Answer, DescribeListsEachBenchmark) {
    std::vector<std::string> lines;
    answer_with({twice()}, nullptr).describe([&](const std::string& line) { lines.push_back(line); });
    ASSERT_EQ(lines.size(), 1U);
    EXPECT_EQ(benchmark_line(lines[0])->name, "copy/twice");
}

TEST(Answer, MeasureWritesOneLinePerSetInOrder) {
    const auto answered = measure("copy/twice", "{\"bytes\":7}\n{\"bytes\":5}\n");
    ASSERT_EQ(answered.lines.size(), 2U);
    EXPECT_EQ(samples_line(answered.lines[0])->parameters, (Parameters{{"bytes", 7}}));
    EXPECT_EQ(samples_line(answered.lines[1])->parameters, (Parameters{{"bytes", 5}}));
    EXPECT_EQ(answered.code, 0);
}

TEST(Answer, ProtocolSetsNumberOfSamples) {
    const auto answered =
        measure("copy/twice", "{\"kind\":\"protocol\",\"launches_min\":3,\"launches_max\":3}\n{\"bytes\":7}\n");
    ASSERT_EQ(answered.lines.size(), 1U);
    EXPECT_EQ(samples_line(answered.lines[0])->seconds.size(), 3U);
}

TEST(Answer, ProtocolCanTurnGateOff) {
    std::vector<std::string> log;
    const auto take = [&] {
        struct Logged final : FakeInstruments {
            explicit Logged(std::vector<std::string>& lines) : said(lines) {}
            void without_gate() override { said.emplace_back("without gate"); }
            std::vector<std::string>& said;
        };
        return std::make_unique<Logged>(log);
    };
    EXPECT_EQ(measure("copy/twice", "{\"kind\":\"protocol\",\"gate\":false}\n{\"bytes\":7}\n", take).code, 0);
    EXPECT_EQ(log, std::vector<std::string>{"without gate"});
    EXPECT_EQ(measure("copy/twice", "{\"kind\":\"protocol\",\"gate\":true}\n{\"bytes\":7}\n", take).code, 0);
    EXPECT_EQ(log.size(), 1U);
}

TEST(Answer, WritesNothingWithoutSets) {
    const auto answered = measure("copy/twice", "");
    EXPECT_EQ(answered.code, 0);
    EXPECT_TRUE(answered.lines.empty());
}

TEST(Answer, FailsEachSetWithReasonIfThereIsNoGpu) {
    const auto answered = measure("copy/twice", "{\"bytes\":7}\n{\"bytes\":5}\n",
                                  []() -> std::unique_ptr<Instruments> { throw std::runtime_error("no GPU"); });
    ASSERT_EQ(answered.lines.size(), 2U);
    EXPECT_EQ(samples_line(answered.lines[1])->status, Status::failed);
    EXPECT_EQ(samples_line(answered.lines[1])->check, "no GPU");
}

TEST(Answer, WhatNeedsNoGpuIsMeasuredByTheHostsClock) {
    auto measurable = twice();
    measurable.benchmark.needs = {};
    std::istringstream lines("{\"bytes\":7}\n");
    std::ostringstream complaint;
    std::vector<std::string> said;
    answer_with({measurable}, []() -> std::unique_ptr<Instruments> {
        throw std::runtime_error("no GPU");
    }).measure("copy/twice", lines, [&](const std::string& line) { said.push_back(line); }, complaint);
    ASSERT_EQ(said.size(), 1U);
    EXPECT_EQ(samples_line(said[0])->status, Status::ok);
    EXPECT_EQ(samples_line(said[0])->gpu, "");
}

TEST(Answer, LostContextHasItsOwnExitCode) {
    const auto answered = measure("copy/twice", "{\"bytes\":7}\n{\"bytes\":5}\n", [] {
        auto instruments = std::make_unique<FakeInstruments>();
        instruments->is_lost = true;
        instruments->settling = [] { throw std::runtime_error("an illegal memory access"); };
        return instruments;
    });
    EXPECT_EQ(answered.code, 71);
    ASSERT_EQ(answered.lines.size(), 1U);
    EXPECT_EQ(samples_line(answered.lines[0])->check, "an illegal memory access");
}

class BadSet : public testing::TestWithParam<std::pair<const char*, const char*>> {};
TEST_P(BadSet, IsRefusedBeforeMeasuring) {
    const auto answered = measure("copy/twice", std::string("{\"bytes\":7}\n") + GetParam().first + "\n");
    EXPECT_EQ(answered.code, 2);
    EXPECT_TRUE(answered.lines.empty());
    EXPECT_EQ(answered.complaint, std::string("line 2: ") + GetParam().second + "\n");
}
INSTANTIATE_TEST_SUITE_P(Answer, BadSet,
                         testing::Values(std::pair{"garbage", "not JSON"}, std::pair{"{}", "'bytes' is missing"},
                                         std::pair{R"({"bytes":-1})", "'bytes' is negative"},
                                         std::pair{R"({"bytes":"7"})", "'bytes' has the wrong type"},
                                         std::pair{R"({"bytes":7.5})", "'bytes' has the wrong type"},
                                         std::pair{R"({"bytes":7,"stride":1})",
                                                   "copy/twice has no parameter 'stride'"}));

TEST(Answer, SkipsSaysOnlyWhatWouldBeSkippedAndMeasuresNothing) {
    std::istringstream lines("{\"kind\":\"protocol\"}\n{\"bytes\":7}\n{\"bytes\":404}\n");
    std::ostringstream complaint;
    std::vector<std::string> said;
    const auto take = [] {
        auto instruments = std::make_unique<FakeInstruments>();
        instruments->settling = [] { throw std::runtime_error("measured after all"); };
        return instruments;
    };
    const auto code =
        answer_with({twice()}, take)
            .skips("copy/twice", lines, [&](const std::string& line) { said.push_back(line); }, complaint);
    EXPECT_EQ(code, 0) << complaint.str();
    ASSERT_EQ(said.size(), 1U);
    EXPECT_EQ(samples_line(said[0])->parameters, (Parameters{{"bytes", 404}}));
    EXPECT_EQ(samples_line(said[0])->status, Status::skipped);
    EXPECT_EQ(samples_line(said[0])->check, "404 is too much");
}

TEST(Answer, UnknownBenchmarkIsUsageError) {
    const auto answered = measure("copy/thrice", "{\"bytes\":7}\n");
    EXPECT_EQ(answered.code, 2);
    EXPECT_EQ(answered.complaint, "no benchmark named 'copy/thrice'\n");
}

TEST(Answer, ProtocolAfterFirstLineIsUsageError) {
    const auto answered = measure("copy/twice", "{\"bytes\":7}\n{\"kind\":\"protocol\"}\n");
    EXPECT_EQ(answered.code, 2);
    EXPECT_EQ(answered.complaint, "line 2: the protocol must be the first line\n");
}

TEST(Answer, InvalidProtocolIsUsageError) {
    const auto answered = measure("copy/twice", "{\"kind\":\"protocol\",\"launches_min\":0}\n{\"bytes\":7}\n");
    EXPECT_EQ(answered.code, 2);
    EXPECT_EQ(answered.complaint, "line 1: 'launches_min' is below 1\n");
}

}  // namespace
}  // namespace tocuda
