// tocuda, Apache-2.0.
// Which rows are compared with each other, what counts in them, and what is reported about the others.
#include "comparison_input/paired_rows.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "comparison_input/made_up_runs_test.hpp"
#include "model/words.hpp"

namespace tocuda {
namespace {

using made_up::changed;
using made_up::gathered;
using made_up::paired;
using made_up::part;
using made_up::row_of;
using made_up::RunRows;
using made_up::Runs;

// Returns why the only row is not compared.
std::string why_unpaired(const ChangeReport& report) {
    EXPECT_TRUE(report.rows.empty());
    return joined(report.unpaired, "; ", [](const auto& one) { return one.why; });
}

TEST(PairedRows, KeepTheMedianOfEachProcessByStart) {
    auto first = part(1);
    first.rows[0].samples.seconds = {5e-3, 1e-3, 2e-3};
    const auto report = paired({first}, {part(2)});
    ASSERT_EQ(report.rows.size(), 1U);
    const auto& row = report.rows[0].row;
    EXPECT_EQ(row.before, (std::vector<Start>{{"session-01", {2e-3, 2e-3, 3e-3}}}));
    EXPECT_EQ(row.after, (std::vector<Start>{{"session-02", {1e-3, 2e-3, 3e-3}}}));
    EXPECT_EQ(row.invalid, "");
    EXPECT_EQ(row.gpu, "GPU-a");
}

TEST(PairedRows, AreIndependentOfFileOrderAndCopies) {
    const Runs before{part(1), part(2, "570.86.15", {1.5e-3, 1.6e-3}), part(3)};
    const Runs after{part(4), part(5)};
    const auto report = paired(before, after, {part(6), part(7)}, 0);
    EXPECT_EQ(
        paired({before[2], before[0], before[1], before[0]}, {after[1], after[0]}, {part(7), part(6), part(6)}, 0).rows,
        report.rows);
}

TEST(PairedRows, UseBootsAsStartsIfDriversDiffer) {
    auto again = part(2);
    again.run.boot = "boot-01";
    const auto same = paired({part(1), again}, {part(3)});
    EXPECT_FALSE(same.by_driver_load);
    EXPECT_EQ(same.rows.at(0).row.before.size(), 2U);
    const auto other = paired({part(1), again}, {part(3, "580.95.05")});
    EXPECT_TRUE(other.by_driver_load);
    ASSERT_EQ(other.rows.at(0).row.before.size(), 1U);
    EXPECT_EQ(other.rows[0].row.before[0].process_medians.size(), 6U);
}

TEST(PairedRows, OfAnotherDriverOnTheSameBootAreAnotherStart) {
    auto reloaded = part(2, "580.95.05");
    reloaded.run.boot = "boot-01";
    EXPECT_TRUE(paired({part(1)}, {reloaded}).same_starts.empty());
}

TEST(PairedRows, WithAWrongResultAreInvalid) {
    auto wrong = part(2);
    wrong.rows[1].samples.status = Status::wrong;
    wrong.rows[1].samples.check = "7 of 4096 bytes differ";
    const auto now = paired({part(1)}, {wrong}), before = paired({wrong}, {part(1)});
    EXPECT_EQ(now.rows.at(0).row.invalid, "new: wrong: 7 of 4096 bytes differ");
    EXPECT_EQ(before.rows.at(0).row.invalid, "old: wrong: 7 of 4096 bytes differ");
    EXPECT_TRUE(has_findings(now));
    EXPECT_FALSE(has_findings(before));
    EXPECT_FALSE(has_findings(paired({wrong}, {wrong}))) << "nothing changed";
}

TEST(PairedRows, ExcludeThrottledProcesses) {
    auto throttled = part(2);
    auto& samples = throttled.rows[0].samples;
    samples.before = Telemetry{.violation_ns = {{"hw_thermal", 0}}};
    samples.after = Telemetry{.violation_ns = {{"hw_thermal", 5'000'000}}};
    EXPECT_EQ(paired({part(1)}, {throttled}).rows.at(0).row.after.at(0).process_medians,
              (std::vector<double>{2e-3, 3e-3}));
    throttled.rows[1].samples.before = samples.before;
    throttled.rows[1].samples.after = samples.after;
    const auto report = paired({part(1)}, {throttled});
    EXPECT_EQ(report.rows.at(0).row.invalid, "new: invalid: hw_thermal held the clock down for 5 ms");
    EXPECT_TRUE(report.rows[0].row.after.empty());
    EXPECT_FALSE(has_findings(report));
}

TEST(PairedRows, ExcludeProcessesWithALowerClock) {
    auto slowed = part(2, "570.86.15", {1e-3, 1e-3, 1e-3, 9e-3});
    for (std::size_t i = 0; i < slowed.rows.size(); ++i)
        slowed.rows[i].samples.during = Telemetry{.sm_clock_mhz = i == 3 ? 1000 : 1980};
    EXPECT_EQ(paired({part(1)}, {slowed}).rows.at(0).row.after.at(0).process_medians,
              (std::vector<double>{1e-3, 1e-3, 1e-3}));
}

TEST(PairedRows, CountProcessesThatThePowerLimitSlows) {
    auto capped = part(2, "570.86.15", {1e-3, 2e-3, 3e-3, 9e-3});
    for (std::size_t i = 0; i < capped.rows.size(); ++i)
        capped.rows[i].samples.during =
            Telemetry{.sm_clock_mhz = i == 3 ? 1300 : 1500, .reasons = std::vector<std::string>{"sw_power_cap"}};
    EXPECT_EQ(paired({part(1)}, {capped}).rows.at(0).row.after.at(0).process_medians,
              (std::vector<double>{1e-3, 2e-3, 3e-3, 9e-3}));
}

TEST(PairedRows, ReportTheChangeOfTheSmClock) {
    const auto with_clock = [](int number, int clock) {
        return changed(part(number),
                       [=](MeasurementRow& row) { row.samples.during = Telemetry{.sm_clock_mhz = clock}; });
    };
    EXPECT_NEAR(paired({with_clock(1, 2000)}, {with_clock(2, 1900)}).rows.at(0).clock_change.value_or(0), -0.05, 1e-12);
}

TEST(PairedRows, KeepTheFlagsOfBothSidesUnchanged) {
    const auto flagged = [](int number, const Flags& flags) {
        return changed(part(number), [&](MeasurementRow& row) { row.samples.flags = flags; });
    };
    EXPECT_EQ(
        paired({flagged(1, {"sw_power_cap", "in pieces of 16 MiB"})}, {flagged(2, {"sw_power_cap"})}).rows.at(0).flags,
        (Flags{"in pieces of 16 MiB", "sw_power_cap"}));
}

TEST(PairedRows, AreNeverMixedWithRowsOfAnotherKind) {
    const auto simulated = changed(part(2), [](MeasurementRow& row) { row.device = Device::simulated; });
    EXPECT_EQ(why_unpaired(paired({part(1)}, {simulated})), "real against simulated");
    const auto host = changed(part(2), [](MeasurementRow& row) { row.samples.clock = Clock::host; });
    EXPECT_EQ(why_unpaired(paired({part(1)}, {host})), "the clock of the device against the clock of the host");
    auto protocol = changed(part(2), [](MeasurementRow& row) { row.id = "id of protocol 2"; });
    protocol.run.protocol->version = 3;
    EXPECT_EQ(why_unpaired(paired({part(1)}, {protocol})), "protocol 2 against 3");
    const auto id = changed(part(2), [](MeasurementRow& row) { row.id = "another"; });
    EXPECT_EQ(why_unpaired(paired({part(1)}, {id})), "different ids: not measured in the same way");
}

TEST(PairedRows, OfOneSideAreCounted) {
    auto more = part(2);
    for (const auto* name : {"copy/a", "copy/b", "copy/c", "copy/d"}) more.rows.push_back(row_of(name, 1e-3));
    const auto report = paired({part(1)}, {more});
    EXPECT_EQ(report.rows.size(), 1U);
    ASSERT_EQ(report.unpaired.size(), 1U);
    EXPECT_EQ(report.unpaired[0].why, "on the new side only");
    EXPECT_EQ(report.unpaired[0].count, 4);
    EXPECT_EQ(report.unpaired[0].first,
              (std::vector<std::string>{"copy/a bytes=4096", "copy/b bytes=4096", "copy/c bytes=4096"}));
}

RunRows on_gpu(RunRows one, const std::string& uuid, const std::string& model = "NVIDIA H200") {
    one.run.gpus[0].uuid = uuid;
    one.run.gpus[0].name = model;
    return changed(std::move(one), [&](MeasurementRow& row) { row.samples.gpu = uuid; });
}

TEST(PairedRows, WithATailOnOneSideAreNamedOnce) {
    const auto with_tail = changed(part(2), [](MeasurementRow& row) {
        row.samples.tail = SingleTimes{.of = 1000, .p50 = 1e-3, .p99 = 2e-3, .largest = 3e-3};
    });
    const auto report = paired({part(1)}, {with_tail});
    EXPECT_EQ(report.rows.size(), 1U);
    EXPECT_TRUE(report.unpaired.empty()) << "older files have none";
    EXPECT_EQ(paired({with_tail}, {with_tail}).rows.size(), 2U);
}

TEST(PairedRows, PairTheSingleGpusOfOneModel) {
    const auto report = paired({part(1)}, {on_gpu(part(2), "GPU-b")});
    EXPECT_EQ(report.rows.size(), 1U);
    EXPECT_EQ(report.attribution.text, "only the GPU changed: GPU UUID GPU-a -> GPU-b");
}

TEST(PairedRows, AgainstWhatIsRecordedHoldEachGpuOfTheModel) {
    RowNames names;
    GatheredSides sides{
        gathered(names, {part(1)}), gathered(names, {on_gpu(part(2), "GPU-b"), on_gpu(part(3), "GPU-c")}), {}};
    sides.against_recorded = true;
    const auto report = compare_sides(names, sides, {});
    EXPECT_EQ(report.rows.size(), 1U);
    EXPECT_TRUE(report.unpaired.empty());
    EXPECT_EQ(report.gpus, std::vector<std::string>{"NVIDIA H200 (GPU-a against 2 GPUs)"});
}

TEST(PairedRows, OfOtherGpusAreNotCompared) {
    const std::string why = "measured on a GPU that the other side does not have";
    EXPECT_EQ(why_unpaired(paired({part(1)}, {on_gpu(part(2), "GPU-b", "NVIDIA H100")})), why);
    EXPECT_EQ(why_unpaired(paired({part(1)}, {on_gpu(part(2), "GPU-a", "NVIDIA H100")})),
              why);  // simulated GPUs can share a UUID
    EXPECT_EQ(why_unpaired(paired({part(1)}, {on_gpu(part(2), "GPU-b"), on_gpu(part(3), "GPU-c")})), why);
}

TEST(PairedRows, OfTwoModelsAreShownSideBySideAndNotJudged) {
    RowNames names;
    const auto compared = [&](const Runs& after) {
        GatheredSides sides{gathered(names, {part(1)}), gathered(names, after), {}};
        return compare_sides(names, sides, {});
    };
    const auto slower = part(3, "570.86.15", {4e-3, 5e-3, 6e-3});
    auto rest = part(4, "570.86.15", {7e-3, 8e-3});
    rest.run.resumes = slower.run.run;
    const auto report = compared({on_gpu(slower, "GPU-b", "NVIDIA H100"), on_gpu(part(2), "GPU-c", "NVIDIA H100"),
                                  on_gpu(rest, "GPU-b", "NVIDIA H100")});
    ASSERT_TRUE(report.models);
    EXPECT_EQ(report.models->before + ", " + report.models->after, "NVIDIA H200, NVIDIA H100");
    EXPECT_EQ(report.models->rows, (std::vector<BesideRow>{{"copy/x", {{"bytes", 4096}}, 2e-3, 6e-3}}))
        << "medians of the newest run and what resumes it";
    EXPECT_TRUE(report.rows.empty() && report.unpaired.empty());
    EXPECT_EQ(report.attribution.text, "nothing recorded besides the GPU");
    EXPECT_FALSE(compared({on_gpu(slower, "GPU-b")}).models) << "one model";
    EXPECT_FALSE(compared({part(2), on_gpu(part(3), "GPU-c", "NVIDIA H100")}).models) << "two on one side";
}

TEST(PairedRows, OfAnotherGpuModelAreAttributedToTheGpu) {
    auto other = part(2);
    other.run.gpus[0].uuid = "GPU-b";
    other.run.gpus[0].name = "NVIDIA B200";
    for (auto& row : other.rows) row.samples.gpu = "GPU-b";
    const auto attribution = paired({part(1)}, {other}).attribution;
    EXPECT_EQ(attribution.only, "gpu");
    EXPECT_EQ(attribution.text, "only the GPU changed: GPUs NVIDIA H200 -> NVIDIA B200");
}

TEST(PairedRows, OfTheSameStartAreReported) {
    EXPECT_EQ(paired({part(1)}, {part(1)}).same_starts, (std::vector<std::string>{"session-01"}));
    EXPECT_TRUE(paired({part(1)}, {part(2)}).same_starts.empty());
}

TEST(PairedRows, HaveAHistoryByConditionsWithoutTheSides) {
    const auto report = paired({part(1)}, {part(2, "580.95.05")},
                               {part(1), part(2, "580.95.05"), part(3), part(4), part(5, "580.95.05"),
                                part(6, "580.95.05"), part(7, "590.1")});
    const auto& history = report.rows.at(0).row.history;
    EXPECT_EQ(history.of, "this GPU's history");
    ASSERT_EQ(history.groups.size(), 2U);  // a single start with a third driver carries no information
    EXPECT_EQ(history.groups[0].at(0).name, "boot-03 570.86.15");
    EXPECT_EQ(history.groups[0].at(1).name, "boot-04 570.86.15");
    EXPECT_EQ(history.groups[1].at(0).name, "boot-05 580.95.05");
}

TEST(PairedRows, ExcludeOtherRunsOfTheirStartsFromTheHistory) {
    auto again = part(3);
    EXPECT_EQ(paired({part(1)}, {part(2)}, {again, part(4)}).rows.at(0).row.history.groups.size(), 1U);
    again.run.session = "session-01";
    EXPECT_TRUE(paired({part(1)}, {part(2)}, {again, part(4)}).rows.at(0).row.history.groups.empty());
}

TEST(PairedRows, UseTheCohortsHistoryIfTheirOwnIsTooShort) {
    const Runs history{on_gpu(part(3), "GPU-b"),
                       on_gpu(part(4), "GPU-b"),
                       on_gpu(part(5), "GPU-c"),
                       on_gpu(part(6), "GPU-c"),
                       on_gpu(part(7), "GPU-d", "NVIDIA H100"),
                       on_gpu(part(8), "GPU-d", "NVIDIA H100"),
                       part(9),
                       part(10)};
    const auto too_short = paired({part(1)}, {part(2, "580.95.05")}, history).rows.at(0).row.history;
    EXPECT_EQ(too_short.of, "this GPU's history and that of 2 more NVIDIA H200s");
    EXPECT_EQ(too_short.groups.size(), 3U);
    EXPECT_EQ(paired({part(1)}, {part(2, "580.95.05")}, history, 1).rows.at(0).row.history.of, "this GPU's history");
}

TEST(PairedRows, SeparateHistoriesOfOtherPowerLimits) {
    auto limited = part(3);
    auto limited_too = part(4);
    limited.run.gpus[0].power_limit_w = limited_too.run.gpus[0].power_limit_w = 600;
    const auto report = paired({part(1)}, {part(2)}, {part(5), limited, part(6), limited_too});
    EXPECT_EQ(report.rows.at(0).row.history.groups.size(), 2U);
}

// A run of several GPUs of a host, each a little slower than the one before.

}  // namespace
}  // namespace tocuda
