// tocuda, Apache-2.0.
// Tests which steps run in parallel.
#include <gtest/gtest.h>

#include "execution/run_work.hpp"

namespace tocuda {
namespace {

std::vector<Step> steps(const std::vector<Device>& devices) {
    std::vector<Step> list;
    for (const auto device : devices) list.push_back({.what = {}, .device = device});
    return list;
}

// Makes a step time something.
void time_something(Step& step) {
    static const Scenario timed{"transfer/timed", "", {}, {.gpus = 1, .arithmetic = true}, {{}}};
    step.what.scenario = &timed;
    step.variant = &timed.variants.front();
}

TEST(Schedule, StartsStepsInOrderUpToJobs) {
    Schedule schedule(steps({Device::none, Device::simulated, Device::none}), 2);
    EXPECT_EQ(schedule.take(), 0U);
    EXPECT_EQ(schedule.take(), 1U);
    EXPECT_EQ(schedule.take(), std::nullopt);
    schedule.ended(0);
    EXPECT_EQ(schedule.take(), 2U);
}

TEST(Schedule, RunsOneStepAtATimeOnRealGpu) {
    Schedule schedule(steps({Device::real, Device::real}), 8);
    EXPECT_EQ(schedule.take(), 0U);
    EXPECT_EQ(schedule.take(), std::nullopt);
    schedule.ended(0);
    EXPECT_EQ(schedule.take(), 1U);
}

TEST(Schedule, RunsOneStepAtATimeOnGpusPlannedAsReal) {
    auto list = steps({Device::simulated, Device::simulated});
    list[0].planned_as_real = list[1].planned_as_real = true;
    Schedule schedule(list, 8);
    EXPECT_EQ(schedule.take(), 0U);
    EXPECT_EQ(schedule.take(), std::nullopt);
}

TEST(Schedule, StartsStepsWithoutGpuWhileGpuIsBusy) {
    Schedule schedule(steps({Device::real, Device::real, Device::none, Device::simulated}), 8);
    EXPECT_EQ(schedule.take(), 0U);
    EXPECT_EQ(schedule.take(), 2U);
    EXPECT_EQ(schedule.take(), 3U);
    EXPECT_EQ(schedule.take(), std::nullopt);
}

TEST(Schedule, RunsAloneWhatTimesSomething) {
    auto list = steps({Device::none, Device::real, Device::none});
    time_something(list[1]);
    Schedule schedule(list, 8);
    EXPECT_EQ(schedule.take(), 0U);
    EXPECT_EQ(schedule.take(), 2U);
    EXPECT_EQ(schedule.take(), std::nullopt);
    schedule.ended(0);
    schedule.ended(2);
    EXPECT_EQ(schedule.take(), 1U);
}

TEST(Schedule, StartsNothingBesideWhatTimesSomething) {
    auto list = steps({Device::real, Device::none});
    time_something(list[0]);
    Schedule schedule(list, 8);
    EXPECT_EQ(schedule.take(), 0U);
    EXPECT_EQ(schedule.take(), std::nullopt);
}

TEST(Schedule, IsDoneWhenAllStepsEnded) {
    Schedule schedule(steps({Device::none}), 1);
    EXPECT_FALSE(schedule.done());
    schedule.take();
    EXPECT_FALSE(schedule.done());
    schedule.ended(0);
    EXPECT_TRUE(schedule.done());
    EXPECT_TRUE(Schedule({}, 1).done());
}

}  // namespace
}  // namespace tocuda
