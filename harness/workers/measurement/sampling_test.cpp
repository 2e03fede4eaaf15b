// tocuda, Apache-2.0.
// Tests how many operations one reading of the clock covers, and how a sample follows from them.
#include "measurement/sampling.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "measurement/fake_instruments_test.hpp"

namespace tocuda {
namespace {

// Takes a microsecond per byte.
Sampled moving(std::int64_t bytes) { return {.trial = {.bytes_one_way = bytes}}; }

std::vector<double> samples_of(Sampled& member, FakeInstruments& instruments, bool gate = true) {
    calibrate(Clock::device, member, instruments, gate);
    std::vector<Sampled> members{member};
    take_samples({.name = "copy/somehow", .summary = ""}, members,
                 {.launches_min = 3, .launches_max = 3, .launch_budget_s = 0}, instruments,
                 [](Sampled&, const std::function<void()>& step) { step(); });
    return members[0].samples.seconds;
}

TEST(Sampling, BatchNeverExceedsQueueOfGpu) {
    EXPECT_EQ(batch_for(1, 1e-9, 512), 512);
    Queued alone;
    EXPECT_EQ(batch_most(alone), 512);
    alone.commands = 3;
    EXPECT_EQ(batch_most(alone), 170);
    alone.beside = [](const Stream&, std::int64_t, std::int64_t) {};
    EXPECT_EQ(batch_most(alone), 49) << "three times as many, and 64 events";
    alone.commands = 100'000;
    EXPECT_EQ(batch_most(alone), 1);
}

TEST(Sampling, ReadingUnderLoadTakesNoLongerThanNeeded) {
    Trial trial;
    EXPECT_EQ(count_for_reading(trial, 1e-3, 1e-4), 5);
    EXPECT_EQ(count_for_reading(trial, 20e-3, 1e-4), 1);
    EXPECT_EQ(count_for_reading(trial, 1e-6, 1e-4), 512);
    EXPECT_EQ(count_for_reading(trial, 0, 1e-4), 1);
    EXPECT_EQ(count_for_reading(trial, 1e-3, 20e-3), 40) << "twice as long as a slow driver needs";
    EXPECT_EQ(count_for_reading(trial, 1e-3, 3), 250) << "but no longer than a quarter of a second";
    trial.timing = SelfTimed{.together = 1000};
    EXPECT_EQ(count_for_reading(trial, 1e-6, 1e-4), 5) << "a thousand operations are queued at once";
}

TEST(Sampling, HalvesBatchUntilQueueHoldsIt) {
    FakeInstruments instruments;
    instruments.takes_at_a_time = 30;
    auto member = moving(7);
    const auto seconds = samples_of(member, instruments);
    ASSERT_EQ(seconds.size(), 3U);
    for (const auto each : seconds) EXPECT_DOUBLE_EQ(each, 7e-6);
    EXPECT_EQ(member.samples.batch, 18) << "72 would last long enough";
    EXPECT_TRUE(member.samples.flags.empty());
    for (const auto* tried : {"batch 72 of 7", "batch 36 of 7"})
        EXPECT_EQ(std::count(instruments.log.begin(), instruments.log.end(), tried), 1) << tried;
}

TEST(Sampling, DoesNotRetryTooDeepBatchInSameProcess) {
    FakeInstruments instruments;
    instruments.takes_at_a_time = 30;
    auto first = moving(7);
    samples_of(first, instruments);
    instruments.log.clear();
    auto next = moving(5);
    EXPECT_EQ(samples_of(next, instruments).size(), 3U);
    EXPECT_EQ(next.samples.batch, first.samples.batch);
    EXPECT_EQ(instruments.log, (std::vector<std::string>{"rehearse 5", "batch 1 of 5", "batch 18 of 5", "batch 18 of 5",
                                                         "batch 18 of 5", "batch 18 of 5", "batch 18 of 5"}));
}

TEST(Sampling, HalvesBatchAgainIfQueueHoldsLessThanBefore) {
    FakeInstruments instruments;
    auto member = moving(7);
    calibrate(Clock::device, member, instruments);
    ASSERT_EQ(member.samples.batch, 72);
    instruments.takes_at_a_time = 30;  // found out while another member was calibrated, or its telemetry was read
    EXPECT_DOUBLE_EQ(sample(Clock::device, member, instruments), 7e-6);
    EXPECT_EQ(member.samples.batch, 18);
}

TEST(Sampling, WorksIfQueueHoldsOneOperation) {
    FakeInstruments instruments;
    instruments.takes_at_a_time = 1;
    auto member = moving(4);
    EXPECT_EQ(samples_of(member, instruments).size(), 3U);
    EXPECT_EQ(member.samples.batch, 1);
}

TEST(Sampling, TimesAndFlagsOneOperationWithoutGate) {
    FakeInstruments instruments;
    auto member = moving(4);
    EXPECT_EQ(samples_of(member, instruments, false).size(), 3U);
    EXPECT_EQ(member.samples.batch, 1);
    EXPECT_EQ(member.samples.flags, Flags{"no_gate"});
}

TEST(Sampling, OperationThatTimesItselfIsAskedOnceForEachSample) {
    FakeInstruments instruments;
    auto member = moving(4);
    int asked = 0;
    int prepared = 0;
    member.trial.prepare = [&] { ++prepared; };
    member.trial.timing = SelfTimed{.seconds = [&] { return ++asked * 30e-9; }};
    EXPECT_EQ(samples_of(member, instruments), (std::vector<double>{30e-9, 2 * 30e-9, 3 * 30e-9}));
    EXPECT_EQ(std::pair(member.samples.batch, prepared), std::pair(std::int64_t{1}, 3));
    EXPECT_TRUE(instruments.log.empty()) << "nothing was batched: " << instruments.log.front();
}

TEST(Sampling, OperationsTimedTogetherAreABatch) {
    FakeInstruments instruments;
    auto member = moving(4);
    member.trial.timing = SelfTimed{.seconds = [] { return 8e-3; }, .together = 1000};
    EXPECT_EQ(samples_of(member, instruments), (std::vector<double>{8e-6, 8e-6, 8e-6}));
    EXPECT_EQ(member.samples.batch, 1000);
}

TEST(Sampling, CyclesAreThoseOfEachSampleThatIsKept) {
    FakeInstruments instruments;
    auto member = moving(4);
    double last = 0;
    member.trial.timing =
        SelfTimed{.seconds = [&] { return last += 1e-3; }, .together = 1000, .cycles = [&] { return 1e6 * last; }};
    std::vector<Sampled> members{member};
    const Guard guarded = [](Sampled&, const std::function<void()>& step) { step(); };
    calibrate(Clock::device, members[0], instruments);
    int busy = 3;
    keep_busy(Clock::device, members, instruments, guarded, [&] { return busy-- > 0; });
    EXPECT_TRUE(members[0].cycles.empty());
    take_samples({.name = "latency/somewhere", .summary = ""}, members, {.launches_min = 2, .launches_max = 2},
                 instruments, guarded);
    EXPECT_EQ(members[0].cycles, (std::vector<double>{4, 5}));
    std::get<SelfTimed>(members[0].trial.timing).cycles = [] { return 0; };
    take_samples({.name = "latency/somewhere", .summary = ""}, members, {.launches_min = 2, .launches_max = 2},
                 instruments, guarded);
    EXPECT_EQ(members[0].cycles.size(), 2U) << "none are counted";
}

TEST(Sampling, BudgetCountsWhatABatchTook) {
    FakeInstruments instruments;
    auto member = moving(4);
    member.trial.timing = SelfTimed{.seconds = [] { return 2e-3; }, .together = 1000};
    calibrate(Clock::device, member, instruments);
    std::vector<Sampled> members{member};
    take_samples({.name = "copy/somehow", .summary = ""}, members,
                 {.launches_min = 1, .launches_max = 50, .launch_budget_s = 0.01}, instruments,
                 [](Sampled&, const std::function<void()>& step) { step(); });
    EXPECT_EQ(members[0].samples.seconds.size(), 5U);
}

TEST(Sampling, CutsOnlyLongOperationsWithTrafficInOtherDirection) {
    Queued queued;
    EXPECT_EQ(batch_for(queued, 1, 1e-3, 100), 1);
    queued.beside = [](const Stream&, std::int64_t, std::int64_t) {};
    EXPECT_EQ(batch_for(queued, 1, 1e-3, 100), 16);
    EXPECT_EQ(batch_for(queued, 4, 12e-3, 100), 6);
    EXPECT_EQ(batch_for(queued, 1, 50e-3, 100), 1);
    EXPECT_EQ(batch_for(queued, 1, 30e-6, 100), 17) << "it lasts long enough";
    EXPECT_EQ(batch_for(queued, 1, 1e-3, 8), 8) << "the queue does not hold more";
}

// While two operations run one way, one runs the other way: together as many as one and a half each way.
TEST(Sampling, CountsOperationsThatRanInOtherDirection) {
    FakeInstruments instruments;
    instruments.beside_part = 0.5;
    auto member = moving(300);
    member.trial.timing = Queued{.beside = [](const Stream&, std::int64_t, std::int64_t) {}};
    for (const auto seconds : samples_of(member, instruments)) EXPECT_DOUBLE_EQ(seconds, 300e-6 / 0.75);
}

}  // namespace
}  // namespace tocuda
