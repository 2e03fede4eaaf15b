// tocuda, Apache-2.0.
// What measuring does with wrong results, errors and sets that do not fit, with fake instruments and benches.
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "measurement/measured_sets_test.hpp"

namespace tocuda {
namespace {

TEST(MeasureSetsFailures, NeverTimesWrongResult) {
    FakeSetting setting;
    setting.change = [](const Parameters&, Trial& trial) { trial.differs = [] { return "byte 3 differs"; }; };
    const auto samples = measure({of(10)}, setting).samples.at(0);
    EXPECT_EQ(samples.status, Status::wrong);
    EXPECT_EQ(samples.check, "byte 3 differs (before it was timed)");
    EXPECT_TRUE(samples.seconds.empty());
    EXPECT_TRUE(std::none_of(setting.instruments.log.begin(), setting.instruments.log.end(),
                             [](const auto& line) { return line.starts_with("batch"); }));
}

TEST(MeasureSetsFailures, RejectsResultThatTurnsWrongWhileTimed) {
    FakeSetting setting;
    int checks = 0;
    setting.change = [&](const Parameters&, Trial& trial) {
        trial.differs = [&] { return ++checks == 2 ? "byte 3 differs" : ""; };
    };
    const auto samples = measure({of(10)}, setting).samples.at(0);
    EXPECT_EQ(samples.status, Status::wrong);
    EXPECT_EQ(samples.check, "byte 3 differs (after it was timed)");
    EXPECT_TRUE(samples.seconds.empty());
}

TEST(MeasureSetsFailures, FailureAffectsOnlyItsSet) {
    FakeSetting setting;
    setting.instruments.batching = [](const Trial& trial) {
        if (trial.bytes_one_way == 20) throw std::runtime_error("no\nstack of calls");
    };
    const auto measured = measure({of(10), of(20), of(30)}, setting);
    ASSERT_EQ(measured.samples.size(), 3U);
    EXPECT_EQ(measured.samples[1].status, Status::failed);
    EXPECT_EQ(measured.samples[1].check, "no");
    EXPECT_EQ(measured.samples[2].status, Status::ok);
    EXPECT_EQ(measured.ended, SetsEnded::whole);
}

TEST(MeasureSetsFailures, ErrorDuringSamplingLeavesNoSamples) {
    FakeSetting setting;
    int batches = 0;
    setting.instruments.batching = [&](const Trial&) {
        if (++batches == 5) throw std::runtime_error("no");
    };
    const auto samples = measure({of(10)}, setting).samples.at(0);
    EXPECT_EQ(samples.status, Status::failed);
    EXPECT_TRUE(samples.seconds.empty());
}

TEST(MeasureSetsFailures, LostContextEndsProcessAfterReportingCurrentSet) {
    FakeSetting setting;
    setting.instruments.is_lost = true;
    setting.instruments.batching = [](const Trial& trial) {
        if (trial.bytes_one_way == 20) throw std::runtime_error("illegal");
    };
    const auto measured = measure({of(10), of(20), of(30)}, setting);
    ASSERT_EQ(measured.samples.size(), 2U);
    EXPECT_EQ(measured.samples[1].status, Status::failed);
    EXPECT_EQ(measured.ended, SetsEnded::lost);
    EXPECT_EQ(setting.instruments.log.back(), "leave");
}

TEST(MeasureSetsFailures, FailsAllSetsIfSetUpFails) {
    FakeInstruments instruments;
    const Measurable measurable{
        {.name = "copy/somehow", .summary = ""},
        [](const std::vector<Parameters>&) -> std::unique_ptr<Bench> { throw std::runtime_error("no memory"); }};
    std::vector<Samples> said;
    const auto say = [&](const Samples& samples) { said.push_back(samples); };
    EXPECT_EQ(measure_sets(measurable, {of(1), of(2)}, {}, instruments, say), SetsEnded::whole);
    ASSERT_EQ(said.size(), 2U);
    EXPECT_EQ(said[1].check, "no memory");
    instruments.is_lost = true;
    EXPECT_EQ(measure_sets(measurable, {of(1)}, {}, instruments, say), SetsEnded::lost);
}

TEST(MeasureSetsFailures, SetsUpWithoutLargestSetsIfNeeded) {
    FakeInstruments instruments;
    const Measurable measurable{{.name = "copy/somehow", .summary = ""},
                                [](const std::vector<Parameters>& sets) -> std::unique_ptr<Bench> {
                                    for (const auto& set : sets)
                                        if (bytes_of(set) > 20) throw std::runtime_error("no memory");
                                    return std::make_unique<FakeBench>();
                                }};
    std::vector<Samples> said;
    EXPECT_EQ(measure_sets(measurable, {of(30), of(10), of(40), of(20)}, {}, instruments,
                           [&](const Samples& samples) { said.push_back(samples); }),
              SetsEnded::whole);
    ASSERT_EQ(said.size(), 4U);
    EXPECT_EQ(said[0].parameters, of(30));
    EXPECT_EQ(said[0].status, Status::failed);
    EXPECT_EQ(said[0].check, "no memory");
    EXPECT_EQ(said[1].status, Status::ok);
    EXPECT_EQ(said[2].status, Status::failed);
    EXPECT_EQ(said[3].status, Status::ok);
}

}  // namespace
}  // namespace tocuda
