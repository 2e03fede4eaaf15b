// tocuda, Apache-2.0.
// Tests the order of the measuring steps and the handling of failures, with fake instruments and benches.
#include "measurement/measure_sets.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "measurement/fake_instruments_test.hpp"

namespace tocuda {
namespace {

using Change = std::function<void(const Parameters&, Trial&)>;

class ChangedBench final : public FakeBench {
public:
    ChangedBench(Clock reading, Change by) : FakeBench(reading), by_set(std::move(by)) {}
    Trial trial(const Parameters& set) override {
        auto made = FakeBench::trial(set);
        if (by_set) by_set(set, made);
        return made;
    }

private:
    Change by_set;
};

struct Measured {
    SetsEnded ended = SetsEnded::whole;
    std::vector<Samples> samples{};
};

struct Setting {
    Clock clock = Clock::device;
    std::string alternates{};
    Protocol protocol{.launches_min = 3, .launches_max = 3, .launch_budget_s = 0};
    Change change{};
    FakeInstruments instruments{};
};

Measured measure(const std::vector<Parameters>& sets, Setting& setting) {
    const Measurable measurable{
        {.name = "copy/somehow", .summary = "", .clock = setting.clock, .alternates = setting.alternates},
        [&](const std::vector<Parameters>&) { return std::make_unique<ChangedBench>(setting.clock, setting.change); }};
    Measured measured;
    measured.ended = measure_sets(measurable, sets, setting.protocol, setting.instruments,
                                  [&](const Samples& samples) { measured.samples.push_back(samples); });
    return measured;
}

Parameters of(int bytes) { return {{"bytes", bytes}}; }

TEST(MeasureSets, SampleIsTimeOfOneOperation) {
    Setting setting;
    const auto measured = measure({of(30)}, setting);
    ASSERT_EQ(measured.samples.size(), 1U);
    const auto& samples = measured.samples[0];
    EXPECT_EQ(samples.status, Status::ok) << samples.check;
    EXPECT_EQ(samples.check, "everything");
    EXPECT_EQ(samples.batch, 17);  // of 30 us each, for 500 us
    ASSERT_EQ(samples.seconds.size(), 3U);
    for (const auto seconds : samples.seconds) EXPECT_DOUBLE_EQ(seconds, 30e-6);
}

TEST(MeasureSets, SustainedSetHasASampleAndTelemetryForEachSecond) {
    Setting setting;
    setting.change = [](const Parameters&, Trial& trial) { trial.seconds = 4; };
    const auto samples = measure({of(30)}, setting).samples.at(0);
    EXPECT_EQ(samples.status, Status::ok) << samples.check;
    ASSERT_EQ(samples.seconds.size(), 4U) << "those by which the time of one operation was estimated do not count";
    EXPECT_DOUBLE_EQ(samples.seconds[0], 30e-6);
    EXPECT_EQ(samples.course, std::vector<Telemetry>(4, {.sm_clock_mhz = 1980}));
}

TEST(MeasureSets, SamplesRecordGpuPeakFlagsAndTelemetry) {
    Setting setting;
    setting.instruments.flags = {"clock_not_steady"};
    setting.change = [](const Parameters&, Trial& trial) {
        trial.peak = {.bytes_per_second = 5, .source = "somebody"};
        trial.flags = {"odd"};
    };
    const auto samples = measure({of(10)}, setting).samples.at(0);
    EXPECT_EQ(samples.gpu, "GPU-1");
    EXPECT_EQ(samples.peak.source, "somebody");
    EXPECT_EQ(samples.bytes_touched, 20);
    EXPECT_EQ(samples.flags, (std::vector<std::string>{"odd", "clock_not_steady"}));
    EXPECT_EQ(samples.before->sm_clock_mhz, 1980);
    EXPECT_EQ(samples.during->link_width, 16);
    EXPECT_EQ(samples.after->sm_clock_mhz, 1980);
}

TEST(MeasureSets, MovesBytesOnlyForCheck) {
    Setting setting;
    setting.change = [&](const Parameters&, Trial& trial) {
        trial.differs = [&] { return setting.instruments.log.push_back("check"), ""; };
    };
    measure({of(500)}, setting);
    EXPECT_EQ(setting.instruments.log,
              (std::vector<std::string>{"check", "time alone", "settle", "rehearse 500", "batch 1 of 500",
                                        "batch 1 of 500", "batch 1 of 500", "batch 1 of 500", "batch 1 of 500",
                                        "batch 1 of 500", "bytes move", "check"}));
}

TEST(MeasureSets, WarmsUpOtherGpusBeforeAnythingIsTimed) {
    Setting setting;
    setting.change = [&](const Parameters&, Trial& trial) {
        trial.warm = [&] { setting.instruments.log.push_back("warm"); };
    };
    measure({of(500)}, setting);
    const auto& log = setting.instruments.log;
    ASSERT_GT(log.size(), 3U);
    EXPECT_EQ(std::vector(log.begin() + 1, log.begin() + 4),
              (std::vector<std::string>{"settle", "warm", "rehearse 500"}));
}

TEST(MeasureSets, SaysNothingOfAGpuThatTakesNoPart) {
    Setting setting;
    setting.change = [](const Parameters&, Trial& trial) {
        trial.from = "GPU-2";
        trial.to = "GPU-3";
        trial.elsewhere = true;
    };
    const auto samples = measure({of(10)}, setting).samples.at(0);
    EXPECT_EQ(samples.from + samples.to, "GPU-2GPU-3");
    EXPECT_FALSE(samples.before || samples.during || samples.after);
    EXPECT_EQ(samples.flags,
              std::vector<std::string>{"clocks and temperature are unknown: GPU 0, whose are read, takes no part"});
}

TEST(MeasureSets, FlagsDoubtedPeak) {
    Setting setting;
    setting.change = [](const Parameters&, Trial& trial) { trial.peak.doubt = "link_maximum_disputed"; };
    EXPECT_EQ(measure({of(10)}, setting).samples.at(0).flags, std::vector<std::string>{"link_maximum_disputed"});
}

TEST(MeasureSets, ClockThatDoesNotAdvanceIsInvalid) {
    Setting setting;
    setting.change = [](const Parameters&, Trial& trial) { trial.bytes_one_way = 0; };
    const auto samples = measure({of(10)}, setting).samples.at(0);
    EXPECT_EQ(samples.status, Status::invalid);
    EXPECT_EQ(samples.check, "the clock did not advance");
}

TEST(MeasureSets, BudgetEndsSamplingAfterMinimum) {
    Setting setting;
    setting.protocol = {.launches_min = 4, .launches_max = 50, .launch_budget_s = 0.01};  // each batch takes 1 ms
    EXPECT_EQ(measure({of(1000)}, setting).samples.at(0).seconds.size(), 10U);
    setting.protocol.launch_budget_s = 0.001;
    EXPECT_EQ(measure({of(1000)}, setting).samples.at(0).seconds.size(), 4U);
    setting.protocol.launch_budget_s = 1000;
    EXPECT_EQ(measure({of(1000)}, setting).samples.at(0).seconds.size(), 50U);
}

TEST(MeasureSets, OperationThatTimesItselfSpendsBudgetToo) {
    Setting setting{.clock = Clock::host};
    setting.protocol = {.launches_min = 1, .launches_max = 50, .launch_budget_s = 0.01};
    EXPECT_EQ(measure({of(1000)}, setting).samples.at(0).seconds.size(), 10U);
}

TEST(MeasureSets, HostClockTimesOnlyTheCall) {
    Setting setting{.clock = Clock::host};
    setting.change = [&](const Parameters&, Trial& trial) {
        trial.timed = nullptr;
        trial.prepare = [&] { setting.instruments.seconds += 7; };
        trial.call = [&] { setting.instruments.seconds += 2; };
    };
    const auto samples = measure({of(10)}, setting).samples.at(0);
    EXPECT_EQ(samples.seconds, (std::vector<double>{2, 2, 2}));
    EXPECT_EQ(samples.batch, 1);
}

TEST(MeasureSets, SkipsSetThatDoesNotFitAndMeasuresRest) {
    Setting setting;
    const auto measured = measure({of(10), of(404), of(20)}, setting);
    ASSERT_EQ(measured.samples.size(), 3U);
    EXPECT_EQ(measured.samples[1].status, Status::skipped);
    EXPECT_EQ(measured.samples[1].check, "404 is too much");
    EXPECT_EQ(measured.samples[2].status, Status::ok);
}

TEST(MeasureSets, NeverTimesWrongResult) {
    Setting setting;
    setting.change = [](const Parameters&, Trial& trial) { trial.differs = [] { return "byte 3 differs"; }; };
    const auto samples = measure({of(10)}, setting).samples.at(0);
    EXPECT_EQ(samples.status, Status::wrong);
    EXPECT_EQ(samples.check, "byte 3 differs (before it was timed)");
    EXPECT_TRUE(samples.seconds.empty());
    EXPECT_TRUE(std::none_of(setting.instruments.log.begin(), setting.instruments.log.end(),
                             [](const auto& line) { return line.starts_with("batch"); }));
}

TEST(MeasureSets, RejectsResultThatTurnsWrongWhileTimed) {
    Setting setting;
    int checks = 0;
    setting.change = [&](const Parameters&, Trial& trial) {
        trial.differs = [&] { return ++checks == 2 ? "byte 3 differs" : ""; };
    };
    const auto samples = measure({of(10)}, setting).samples.at(0);
    EXPECT_EQ(samples.status, Status::wrong);
    EXPECT_EQ(samples.check, "byte 3 differs (after it was timed)");
    EXPECT_TRUE(samples.seconds.empty());
}

TEST(MeasureSets, FailureAffectsOnlyItsSet) {
    Setting setting;
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

TEST(MeasureSets, ErrorDuringSamplingLeavesNoSamples) {
    Setting setting;
    int batches = 0;
    setting.instruments.batching = [&](const Trial&) {
        if (++batches == 5) throw std::runtime_error("no");
    };
    const auto samples = measure({of(10)}, setting).samples.at(0);
    EXPECT_EQ(samples.status, Status::failed);
    EXPECT_TRUE(samples.seconds.empty());
}

TEST(MeasureSets, LostContextEndsProcessAfterReportingCurrentSet) {
    Setting setting;
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

TEST(MeasureSets, FailsAllSetsIfSetUpFails) {
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

TEST(MeasureSets, SetsUpWithoutLargestSetsIfNeeded) {
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

Parameters through(int bytes, const char* way) { return {{"bytes", bytes}, {"through", way}}; }

TEST(MeasureSets, SamplesAlternatingValuesInTurnsInBothOrders) {
    Setting setting{.clock = Clock::host, .alternates = "through"};
    std::string order;
    setting.protocol = {.launches_min = 4, .launches_max = 4, .launch_budget_s = 0};
    setting.change = [&](const Parameters& set, Trial& trial) {
        trial.timed = [&order, way = text(set, "through")] { return order += way, 1.0; };
    };
    const auto measured = measure({through(1, "a"), through(2, "a"), through(1, "b"), through(2, "b")}, setting);
    ASSERT_EQ(measured.samples.size(), 4U);
    EXPECT_EQ(measured.samples[0].parameters, through(1, "a"));
    EXPECT_EQ(measured.samples[1].parameters, through(1, "b"));
    EXPECT_EQ(measured.samples[2].parameters, through(2, "a"));
    EXPECT_EQ(order, "abbaabbaabbaabba");
    for (const auto& samples : measured.samples) EXPECT_EQ(samples.seconds.size(), 4U);
}

TEST(MeasureSets, MeasuresOneAlternatingValueIfOtherFails) {
    Setting setting{.clock = Clock::host, .alternates = "through"};
    setting.change = [](const Parameters& set, Trial& trial) {
        if (text(set, "through") == "a") trial.timed = []() -> double { throw std::runtime_error("no"); };
    };
    const auto measured = measure({through(1, "a"), through(1, "b")}, setting);
    EXPECT_EQ(measured.samples.at(0).status, Status::failed);
    EXPECT_EQ(measured.samples.at(1).status, Status::ok);
    EXPECT_EQ(measured.samples.at(1).seconds.size(), 3U);
}

}  // namespace
}  // namespace tocuda
