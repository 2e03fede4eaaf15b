// tocuda, Apache-2.0.
// Tests the order of the measuring steps and the sets that are sampled, with fake instruments and benches.
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "measurement/measured_sets_test.hpp"

namespace tocuda {
namespace {

TEST(MeasureSets, SampleIsTimeOfOneOperation) {
    FakeSetting setting;
    const auto measured = measure({of(30)}, setting);
    ASSERT_EQ(measured.samples.size(), 1U);
    const auto& samples = measured.samples[0];
    EXPECT_EQ(samples.status, Status::ok) << samples.check;
    EXPECT_EQ(samples.check, "everything");
    EXPECT_EQ(samples.batch, 17);  // of 30 us each, for 500 us
    ASSERT_EQ(samples.seconds.size(), 3U);
    for (const auto seconds : samples.seconds) EXPECT_DOUBLE_EQ(seconds, 30e-6);
}

TEST(MeasureSets, NumbersThatAreNotAllowedAreSkippedBeforeAnythingIsSetUp) {
    FakeSetting setting;
    setting.allowed = {{"bytes", {.least = 8}}};
    const auto measured = measure({of(3), of(30)}, setting);
    ASSERT_EQ(measured.samples.size(), 2U);
    EXPECT_EQ(measured.samples[0].status, Status::skipped);
    EXPECT_EQ(measured.samples[0].check, "bytes must be at least 8, not 3");
    EXPECT_EQ(measured.samples[1].status, Status::ok);
    EXPECT_EQ(setting.set_up_with, std::vector<Parameters>{of(30)});
}

TEST(MeasureSets, SustainedSetHasASampleAndTelemetryForEachSecond) {
    FakeSetting setting;
    setting.change = [](const Parameters&, Trial& trial) { std::get<Queued>(trial.timing).seconds = 4; };
    const auto samples = measure({of(30)}, setting).samples.at(0);
    EXPECT_EQ(samples.status, Status::ok) << samples.check;
    ASSERT_EQ(samples.seconds.size(), 4U) << "those by which the time of one operation was estimated do not count";
    EXPECT_DOUBLE_EQ(samples.seconds[0], 30e-6);
    EXPECT_EQ(samples.course, std::vector<Telemetry>(4, {.sm_clock_mhz = 1980}));
}

struct SomeGpus final : OtherGpus {
    void begin(const Event&) const override {}
    void end() const override {}
    std::vector<double> seconds() const override { return {}; }
};

TEST(MeasureSets, RanksAreTimedInBatchesOfTheirOwn) {
    FakeSetting setting;
    setting.instruments.seconds_of_ranks = {1e-3, 2e-3, 6e-3};
    const auto alone = measure({of(30)}, setting).samples.at(0);
    EXPECT_FALSE(alone.ranks) << "no other GPU takes part";
    setting.change = [](const Parameters&, Trial& trial) {
        std::get<Queued>(trial.timing).others = std::make_shared<SomeGpus>();
    };
    setting.instruments.log.clear();
    const auto samples = measure({of(30)}, setting).samples.at(0);
    ASSERT_TRUE(samples.ranks);
    EXPECT_EQ(samples.ranks->of, 3);
    EXPECT_DOUBLE_EQ(samples.ranks->mean, 3e-3);
    EXPECT_DOUBLE_EQ(samples.ranks->slowest, 6e-3);
    EXPECT_EQ(std::ranges::count(setting.instruments.log, "each GPU"), 5);
    for (const auto seconds : samples.seconds) EXPECT_DOUBLE_EQ(seconds, 30e-6) << "the samples are of the first GPU";
    setting.instruments.seconds_of_ranks.clear();
    EXPECT_FALSE(measure({of(30)}, setting).samples.at(0).ranks) << "the queue did not hold them";
}

TEST(MeasureSets, SamplesRecordGpuPeakFlagsAndTelemetry) {
    FakeSetting setting;
    setting.instruments.flags = {"clock_not_steady"};
    setting.change = [](const Parameters&, Trial& trial) {
        trial.peak = {.bytes_per_second = 5, .source = "somebody"};
        trial.flags = {"odd"};
    };
    const auto samples = measure({of(10)}, setting).samples.at(0);
    EXPECT_EQ(samples.gpu, "GPU-1");
    EXPECT_EQ(samples.peak.source, "somebody");
    EXPECT_EQ(samples.bytes_touched, 20);
    EXPECT_EQ(samples.flags, (Flags{"odd", "clock_not_steady"}));
    EXPECT_EQ(samples.before->sm_clock_mhz, 1980);
    EXPECT_EQ(samples.during->link_width, 16);
    EXPECT_EQ(samples.after->sm_clock_mhz, 1980);
}

TEST(MeasureSets, MovesBytesOnlyForCheck) {
    FakeSetting setting;
    setting.change = [&](const Parameters&, Trial& trial) {
        trial.differs = [&] { return setting.instruments.log.push_back("check"), ""; };
    };
    measure({of(500)}, setting);
    EXPECT_EQ(setting.instruments.log,
              (std::vector<std::string>{"check", "time alone", "settle", "rehearse 500", "batch 1 of 500",
                                        "batch 1 of 500", "batch 1 of 500", "batch 1 of 500", "batch 1 of 500",
                                        "batch 1 of 500", "read beside 10", "bytes move", "check"}));
}

TEST(MeasureSets, WarmsUpOtherGpusBeforeAnythingIsTimed) {
    FakeSetting setting;
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
    FakeSetting setting;
    setting.change = [](const Parameters&, Trial& trial) {
        trial.from = "GPU-2";
        trial.to = "GPU-3";
        trial.elsewhere = true;
    };
    const auto samples = measure({of(10)}, setting).samples.at(0);
    EXPECT_EQ(samples.from + samples.to, "GPU-2GPU-3");
    EXPECT_FALSE(samples.before || samples.during || samples.after);
    EXPECT_EQ(samples.flags,
              Flags{"clocks and temperature are unknown: only those of GPU 0 are read, which takes no part"});
}

TEST(MeasureSets, ReadsAgainWithMoreOperationsIfTheReadingTakesLong) {
    FakeSetting setting;
    setting.instruments.reading_takes = 20e-3;
    const auto samples = measure({of(500)}, setting).samples.at(0);
    EXPECT_EQ(samples.during->link_width, 16);
    EXPECT_TRUE(samples.flags.empty());
    const auto& log = setting.instruments.log;
    EXPECT_EQ(std::count(log.begin(), log.end(), "read beside 10"), 1) << "5 ms at first";
    EXPECT_EQ(std::count(log.begin(), log.end(), "read beside 80"), 1) << "then twice as long as it took";
}

TEST(MeasureSets, FlagsThatTheClocksUnderLoadWereNotRead) {
    FakeSetting setting;
    setting.instruments.reading_takes = 1;
    const auto samples = measure({of(500)}, setting).samples.at(0);
    EXPECT_EQ(samples.status, Status::ok);
    EXPECT_FALSE(samples.during);
    EXPECT_EQ(samples.flags, Flags{"not_read_under_load"});
    setting.protocol.gate = false;
    EXPECT_EQ(measure({of(500)}, setting).samples.at(0).flags, Flags{"no_gate"});
}

TEST(MeasureSets, FlagsDoubtedPeak) {
    FakeSetting setting;
    setting.change = [](const Parameters&, Trial& trial) { trial.peak.doubt = "link_maximum_disputed"; };
    EXPECT_EQ(measure({of(10)}, setting).samples.at(0).flags, Flags{"link_maximum_disputed"});
}

TEST(MeasureSets, ClockThatDoesNotAdvanceIsInvalid) {
    FakeSetting setting;
    setting.change = [](const Parameters&, Trial& trial) { trial.bytes_one_way = 0; };
    const auto samples = measure({of(10)}, setting).samples.at(0);
    EXPECT_EQ(samples.status, Status::invalid);
    EXPECT_EQ(samples.check, "the clock did not advance");
}

TEST(MeasureSets, BudgetEndsSamplingAfterMinimum) {
    FakeSetting setting;
    setting.protocol = {.launches_min = 4, .launches_max = 50, .launch_budget_s = 0.01};  // each batch takes 1 ms
    EXPECT_EQ(measure({of(1000)}, setting).samples.at(0).seconds.size(), 10U);
    setting.protocol.launch_budget_s = 0.001;
    EXPECT_EQ(measure({of(1000)}, setting).samples.at(0).seconds.size(), 4U);
    setting.protocol.launch_budget_s = 1000;
    EXPECT_EQ(measure({of(1000)}, setting).samples.at(0).seconds.size(), 50U);
}

TEST(MeasureSets, OperationThatTimesItselfSpendsBudgetToo) {
    FakeSetting setting{.clock = Clock::host};
    setting.protocol = {.launches_min = 1, .launches_max = 50, .launch_budget_s = 0.01};
    EXPECT_EQ(measure({of(1000)}, setting).samples.at(0).seconds.size(), 10U);
}

TEST(MeasureSets, HostClockTimesOnlyTheCall) {
    FakeSetting setting{.clock = Clock::host};
    setting.change = [&](const Parameters&, Trial& trial) {
        trial.prepare = [&] { setting.instruments.seconds += 7; };
        trial.timing = Called{[&] { setting.instruments.seconds += 2; }};
    };
    const auto samples = measure({of(10)}, setting).samples.at(0);
    EXPECT_EQ(samples.seconds, (std::vector<double>{2, 2, 2}));
    EXPECT_EQ(samples.batch, 1);
}

TEST(MeasureSets, CyclesAreTheMedianOfTheSamples) {
    FakeSetting setting;
    setting.protocol = {.launches_min = 3, .launches_max = 3};
    setting.change = [](const Parameters& set, Trial& trial) {
        SelfTimed timed{.seconds = [] { return 8e-3; }, .together = 1000, .tick_seconds = 1e-6};
        if (bytes_of(set) == 10) timed.cycles = [next = 0]() mutable { return 1000 * ++next; };
        trial.timing = timed;
    };
    const auto samples = measure({of(10), of(20)}, setting).samples;
    EXPECT_EQ(samples.at(0).cycles, 2);
    EXPECT_EQ(samples.at(0).tick_seconds, 1e-6);
    EXPECT_FALSE(samples.at(1).cycles);
}

TEST(MeasureSets, TailIsOfAllOperationsThatWereTimedAlone) {
    FakeSetting setting;
    setting.protocol = {.launches_min = 5, .launches_max = 5};
    setting.change = [](const Parameters& set, Trial& trial) {
        auto& timed = trial.timing.emplace<SelfTimed>();
        timed = {.seconds = [] { return 0.2; }, .together = 200};
        if (bytes_of(set) == 20) return;
        const auto count = bytes_of(set) == 10 ? 200 : 199;
        timed.singles = [count, next = 0]() mutable {
            std::vector<double> seconds(static_cast<std::size_t>(count));
            for (auto& one : seconds) one = ++next;
            return seconds;
        };
    };
    const auto samples = measure({of(10), of(11), of(20)}, setting).samples;
    EXPECT_EQ(samples.at(0).tail, (SingleTimes{.of = 1000, .p50 = 500.5, .p99 = 990.01, .largest = 1000}));
    EXPECT_EQ(samples.at(1).tail, (SingleTimes{.of = 995, .p50 = 498, .largest = 995})) << "too few for a p99";
    EXPECT_FALSE(samples.at(2).tail);
}

TEST(MeasureSets, SkipsSetThatDoesNotFitAndMeasuresRest) {
    FakeSetting setting;
    const auto measured = measure({of(10), of(404), of(20)}, setting);
    ASSERT_EQ(measured.samples.size(), 3U);
    EXPECT_EQ(measured.samples[1].status, Status::skipped);
    EXPECT_EQ(measured.samples[1].check, "404 is too much");
    EXPECT_EQ(measured.samples[2].status, Status::ok);
}

Parameters through(int bytes, const char* way) { return {{"bytes", bytes}, {"through", way}}; }

TEST(MeasureSets, SkipsAWordThatIsNotOneOfTheSweeps) {
    FakeSetting setting{.parameters = {{"through", {"a", "b"}}}};
    const auto measured = measure({through(1, "c"), through(1, "a")}, setting);
    ASSERT_EQ(measured.samples.size(), 2U);
    EXPECT_EQ(measured.samples[0].status, Status::skipped);
    EXPECT_EQ(measured.samples[0].check, "through must be one of a, b, not c");
    EXPECT_EQ(measured.samples[1].status, Status::ok);
    EXPECT_EQ(setting.set_up_with.size(), 1U);
}

TEST(MeasureSets, SamplesAlternatingValuesInTurnsInBothOrders) {
    FakeSetting setting{.clock = Clock::host, .parameters = {{"through", {"a", "b"}}}, .alternates = "through"};
    std::string order;
    setting.protocol = {.launches_min = 4, .launches_max = 4, .launch_budget_s = 0};
    setting.change = [&](const Parameters& set, Trial& trial) {
        trial.timing = SelfTimed{.seconds = [&order, way = text(set, "through")] { return order += way, 1.0; }};
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
    FakeSetting setting{.clock = Clock::host, .parameters = {{"through", {"a", "b"}}}, .alternates = "through"};
    setting.change = [](const Parameters& set, Trial& trial) {
        if (text(set, "through") == "a")
            trial.timing = SelfTimed{.seconds = []() -> double { throw std::runtime_error("no"); }};
    };
    const auto measured = measure({through(1, "a"), through(1, "b")}, setting);
    EXPECT_EQ(measured.samples.at(0).status, Status::failed);
    EXPECT_EQ(measured.samples.at(1).status, Status::ok);
    EXPECT_EQ(measured.samples.at(1).seconds.size(), 3U);
}

}  // namespace
}  // namespace tocuda
