// tocuda, Apache-2.0.
// Tests each reason against citing a row by itself.
#include <gtest/gtest.h>

#include "summary/file_rows.hpp"

namespace tocuda {
namespace {

RunLine sound_run() {
    return {.run = "r",
            .device = Device::real,
            .suite = {.version = "1.0", .commit = "0123456789abcdef", .dirty = false},
            .driver = {.kernel_module = "580.95.05"}};
}

RowSummary sound_row() {
    return {.benchmark = "copy/x",
            .id = "0",
            .device = Device::real,
            .processes = 6,
            .median_seconds = 1,
            .interval = Range{0.9, 1.1},
            .interval_level = 0.96};
}

std::string only_reason(const RunLine& run, const RowSummary& row, const std::vector<std::string>& section) {
    const auto reasons = why_not_citable(run, row, section);
    EXPECT_EQ(reasons.size(), 1U);
    return reasons.empty() ? "" : reasons[0];
}

TEST(Citable, AcceptsSoundRows) { EXPECT_TRUE(why_not_citable(sound_run(), sound_row(), {}).empty()); }

TEST(Citable, RejectsUnknownDrivers) {
    auto run = sound_run();
    run.driver.kernel_module.reset();
    EXPECT_TRUE(only_reason(run, sound_row(), {}).starts_with("unknown driver"));
}

TEST(Citable, RejectsFilesOfNewerTocuda) {
    auto run = sound_run();
    run.schema = 2;
    EXPECT_TRUE(only_reason(run, sound_row(), {}).starts_with("newer"));
}

TEST(Citable, RejectsSimulatedRows) {
    auto row = sound_row();
    row.device = Device::simulated;
    EXPECT_TRUE(only_reason(sound_run(), row, {}).starts_with("simulated"));
}

TEST(Citable, AcceptsRowsThatNeedNoGpu) {
    auto row = sound_row();
    row.device = Device::none;
    EXPECT_TRUE(why_not_citable(sound_run(), row, {}).empty());
}

TEST(Citable, RejectsUncommittedChanges) {
    auto run = sound_run();
    run.suite.dirty = true;
    EXPECT_TRUE(only_reason(run, sound_row(), {}).starts_with("dirty"));
}

TEST(Citable, RejectsUnknownCommits) {
    auto run = sound_run();
    run.suite.commit.reset();
    EXPECT_TRUE(only_reason(run, sound_row(), {}).starts_with("unknown commit"));
}

TEST(Citable, ReportsVerificationProblems) {
    EXPECT_EQ(only_reason(sound_run(), sound_row(), {"line 7: torn"}), "unverified: line 7: torn");
}

TEST(Citable, RejectsFiveProcesses) {
    auto row = sound_row();
    row.processes = 5;
    row.interval.reset();
    EXPECT_TRUE(only_reason(sound_run(), row, {}).starts_with("too few: 5 valid processes"));
}

TEST(Citable, RejectsWrongResults) {
    auto row = sound_row();
    row.status = Status::wrong;
    row.because = "byte 7 differs";
    EXPECT_EQ(only_reason(sound_run(), row, {}), "wrong: byte 7 differs");
}

TEST(Citable, RejectsRowsWithOneThrottledProcess) {
    auto row = sound_row();
    row.left_out = {{3, Status::invalid, "hw_slowdown"}};
    EXPECT_EQ(only_reason(sound_run(), row, {}), "throttled or invalid: process 3 is excluded: hw_slowdown");
}

TEST(Citable, RejectsHeatFlagsButNotThePowerLimit) {
    auto row = sound_row();
    row.flags = {"sw_power_cap", "link_below_maximum"};
    EXPECT_TRUE(why_not_citable(sound_run(), row, {}).empty());
    row.flags = {"hw_thermal"};
    EXPECT_EQ(only_reason(sound_run(), row, {}), "throttled: hw_thermal");
}

TEST(Citable, RejectsClocksBelowHalfOfTheMaximum) {
    auto row = sound_row();
    row.flags = {"sm_clock_below_90_percent (sw_power_cap)", "memory_clock_below_maximum", "idle_under_load"};
    EXPECT_TRUE(why_not_citable(sound_run(), row, {}).empty()) << "the citation lists these flags";
    row.flags = {"sm_clock_below_half"};
    EXPECT_TRUE(only_reason(sound_run(), row, {}).starts_with("slow clock"));
}

TEST(Citable, ReportsAllReasons) {
    auto run = sound_run();
    run.suite = {.version = "1.0", .commit = {}, .dirty = true};
    auto row = sound_row();
    row.device = Device::simulated;
    row.processes = 2;
    EXPECT_EQ(why_not_citable(run, row, {"line 7: torn"}).size(), 5U);
}

}  // namespace
}  // namespace tocuda
