// tocuda, Apache-2.0.
// Which rows are compared with each other, what counts in them, and what is reported about the others.
#include "comparison_input/paired_rows.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "comparison_input/dependent_starts.hpp"
#include "comparison_input/made_up_sections_test.hpp"

namespace tocuda {
namespace {

using made_up::row_of;
using made_up::rows_of;
using made_up::run_of;

struct Part {
    RunLine run;
    std::vector<MeasurementRow> rows;
};
using Parts = std::vector<Part>;

std::vector<GatheredSection> gathered(RowNames& names, const Parts& parts,
                                      std::vector<std::string>* warnings = nullptr) {
    Gathering gathering(names);
    for (const auto& [run, rows] : parts) made_up::add_run(gathering, run, rows);
    std::vector<std::string> told;
    auto sections = gathering.finish(warnings ? *warnings : told);
    return sections;
}

ChangeReport paired(const Parts& before, const Parts& after, const Parts& history = {}, int needed = 20) {
    RowNames names;
    GatheredSides sides{gathered(names, before), gathered(names, after), gathered(names, history)};
    return pair_rows(names, sides, needed);
}

Part part(int number, const std::string& driver = "570.86.15",
          const std::vector<double>& seconds = {1e-3, 2e-3, 3e-3}) {
    return {run_of(number, driver), rows_of("copy/x", seconds)};
}

// Returns why the only row is not compared.
std::string why_unpaired(const ChangeReport& report) {
    EXPECT_TRUE(report.rows.empty());
    std::string whys;
    for (const auto& one : report.unpaired) whys += (whys.empty() ? "" : "; ") + one.why;
    return whys;
}

Part changed(Part one, const std::function<void(MeasurementRow&)>& change) {
    for (auto& row : one.rows) change(row);
    return one;
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
    const Parts before{part(1), part(2, "570.86.15", {1.5e-3, 1.6e-3}), part(3)};
    const Parts after{part(4), part(5)};
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
    const auto flagged = [](int number, const std::vector<std::string>& flags) {
        return changed(part(number), [&](MeasurementRow& row) { row.samples.flags = flags; });
    };
    EXPECT_EQ(
        paired({flagged(1, {"sw_power_cap", "in pieces of 16 MiB"})}, {flagged(2, {"sw_power_cap"})}).rows.at(0).flags,
        (std::vector<std::string>{"in pieces of 16 MiB", "sw_power_cap"}));
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

Part on_gpu(Part one, const std::string& uuid, const std::string& model = "NVIDIA H200") {
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
    EXPECT_EQ(report.attribution.text, "only the GPU changed: GPU GPU-a -> GPU-b");
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
    const auto compared = [&](const Parts& after) {
        GatheredSides sides{gathered(names, {part(1)}), gathered(names, after), {}};
        return compare_sides(names, sides, {});
    };
    const auto slower = part(2, "570.86.15", {4e-3, 5e-3, 6e-3});
    const auto report = compared({on_gpu(slower, "GPU-b", "NVIDIA H100"), on_gpu(part(3), "GPU-c", "NVIDIA H100")});
    ASSERT_TRUE(report.models);
    EXPECT_EQ(report.models->before + ", " + report.models->after, "NVIDIA H200, NVIDIA H100");
    EXPECT_EQ(report.models->rows, (std::vector<BesideRow>{{"copy/x", {{"bytes", 4096}}, 2e-3, 3.5e-3}})) << "medians";
    EXPECT_TRUE(report.rows.empty() && report.unpaired.empty());
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
    EXPECT_EQ(attribution.text, "only the GPU changed: GPUs NVIDIA H200 (GPU-a) -> NVIDIA B200 (GPU-b)");
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
    const Parts history{on_gpu(part(3), "GPU-b"),
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
Part on_host(int number, const std::string& host, int gpus, double seconds = 1e-3,
             const std::string& driver = "570.86.15") {
    Part one{run_of(number, driver), {}};
    one.run.machine.host = host;
    one.run.gpus.clear();
    for (int gpu = 0; gpu < gpus; ++gpu) {
        const auto uuid = "GPU-" + host + std::to_string(gpu);
        one.run.gpus.push_back({.index = gpu, .uuid = uuid, .name = "NVIDIA H200"});
        for (int process = 0; process < 2; ++process) {
            auto row = row_of("copy/x", seconds * (1 + 0.01 * gpu + 0.001 * process), process);
            row.samples.gpu = uuid;
            one.rows.push_back(row);
        }
    }
    return one;
}

TEST(PairedRows, OfAllGpusOfAHostAreOne) {
    const auto rows = paired({on_host(1, "a", 8)}, {on_host(2, "a", 8, 1.03e-3)}).rows;
    ASSERT_EQ(rows.size(), 9U);
    const auto& all = rows[0].row;
    EXPECT_EQ(all.gpus, 8);
    EXPECT_EQ(all.gpu, "");
    EXPECT_EQ(all.before.size(), 1U);
    EXPECT_EQ(all.before.at(0).process_medians.size(), 8U);
    EXPECT_EQ(all.before[0].processes, 16);
    EXPECT_EQ(all.process_noise->freedom, 16);
    EXPECT_FALSE(all.is_part);
    for (std::size_t gpu = 1; gpu < rows.size(); ++gpu) EXPECT_TRUE(rows[gpu].row.is_part);
    RowNames names;
    GatheredSides sides{gathered(names, {on_host(1, "a", 8)}), gathered(names, {on_host(2, "a", 8, 1.03e-3)}), {}};
    const auto compared = compare_sides(names, sides);
    ASSERT_EQ(compared.rows.size(), 1U) << "no GPU is known to differ";
    EXPECT_NEAR(compared.rows[0].change.change.value(), 0.03, 1e-9);
    EXPECT_EQ(compared.rows[0].change.processes_after, 16);
}

TEST(PairedRows, OfTwoHostsAreTwo) {
    const auto rows = paired({on_host(1, "a", 2), on_host(2, "b", 2)}, {on_host(3, "a", 2), on_host(4, "b", 2)}).rows;
    ASSERT_EQ(rows.size(), 7U) << "both, then each with its GPUs";
    EXPECT_EQ(rows[0].row.gpus, 4);
    ASSERT_EQ(rows[0].row.hosts.size(), 2U);
    EXPECT_EQ(rows[0].row.hosts[1].host, "b");
    EXPECT_EQ(rows[0].row.hosts[1].gpus, 2);
    EXPECT_FALSE(rows[0].row.is_part);
    EXPECT_TRUE(rows[1].row.is_part && rows[6].row.is_part);
    EXPECT_EQ(rows[4].row.host, "b");
}

TEST(PairedRows, NameHostsOnOneSideAndGpusThatMoved) {
    auto swapped = on_host(6, "c", 2);
    swapped.run.gpus[1].uuid = "GPU-a1";
    for (auto& row : swapped.rows)
        if (row.samples.gpu == "GPU-c1") row.samples.gpu = "GPU-a1";
    const auto report = paired({on_host(1, "a", 2), on_host(2, "b", 1), on_host(3, "c", 2)},
                               {on_host(4, "a", 1), on_host(5, "d", 1), swapped});
    EXPECT_EQ(report.hosts_before, std::vector<std::string>{"b"});
    EXPECT_EQ(report.hosts_after, std::vector<std::string>{"d"});
    EXPECT_EQ(report.moved, (std::vector{MovedGpu{"GPU-a1", "a", "c"}}));
    EXPECT_EQ(report.machines, 2) << "a and c have a GPU in common";
    EXPECT_EQ(report.gpus_before, std::vector<std::string>{"c GPU-c1"});
    const auto lost = paired({on_host(1, "a", 2)}, {on_host(2, "a", 1)});
    EXPECT_EQ(lost.gpus_before, std::vector<std::string>{"a GPU-a1"});
    EXPECT_TRUE(lost.gpus_after.empty());
    const auto gone = paired({on_host(1, "a", 1), on_host(2, "b", 1)}, {on_host(3, "a", 1), on_host(4, "d", 1)});
    EXPECT_EQ(gone.rows.size(), 1U) << "b and d have nothing in common";
    const auto one = paired({on_host(1, "a", 1)}, {on_host(2, "b", 1)});
    EXPECT_TRUE(one.hosts_before.empty() && one.hosts_after.empty()) << "one machine against another";
}

TEST(PairedRows, OfTheOldDriverOnTheNewSideDoNotCount) {
    const auto before = on_host(1, "a", 1), again = on_host(2, "a", 1);
    const auto report = paired({before}, {again, on_host(3, "a", 1, 1.03e-3, "580.95.05")});
    EXPECT_EQ(report.had_both_drivers, std::vector<std::string>{"a"});
    ASSERT_EQ(report.rows.size(), 1U);
    EXPECT_EQ(report.rows[0].row.after.size(), 1U);
    EXPECT_EQ(paired({before}, {again}).rows[0].row.after.size(), 1U) << "of the only driver they do";
}

TEST(PairedRows, OfHostsThatChangedInBothDirectionsSaySo) {
    const auto report = paired({on_host(1, "a", 1), on_host(2, "b", 1, 1e-3, "580.95.05")},
                               {on_host(3, "a", 1, 1e-3, "580.95.05"), on_host(4, "b", 1)});
    EXPECT_EQ(report.attribution.text, "the driver changed in both directions: compare the hosts of each alone");
}

TEST(PairedRows, KnowTheBlockOfEachHost) {
    const auto labelled = [](int number, const std::string& host, const std::string& rack) {
        auto one = on_host(number, host, 1);
        if (!rack.empty()) one.run.labels["rack"] = rack;
        return one;
    };
    RowNames names;
    GatheredSides sides{gathered(names, {labelled(1, "a", "r1"), labelled(2, "b", "r2"), labelled(3, "c", "r3"),
                                         labelled(4, "d", "r1"), labelled(5, "e", "")}),
                        gathered(names, {labelled(6, "a", ""), labelled(7, "b", "r3"), labelled(8, "c", "r3"),
                                         labelled(9, "d", "r1"), labelled(10, "e", "")}),
                        {},
                        "rack"};
    std::map<std::string, std::string> blocks;
    const auto report = pair_rows(names, sides, 20);
    for (const auto& host : report.rows.at(0).row.hosts) blocks[host.host] = host.block;
    EXPECT_EQ(blocks, (std::map<std::string, std::string>{
                          {"a", "r1"}, {"b", "r2, r3"}, {"c", "r2, r3"}, {"d", "r1"}, {"e", "no rack"}}))
        << "b moved from one rack to another, so both are one";
    sides.block = "";
    EXPECT_EQ(pair_rows(names, sides, 20).rows.at(0).row.hosts.at(0).block, "");
}

TEST(PairedRows, OfTwoModelsAreTwo) {
    auto other_before = on_host(2, "b", 1), other_after = on_host(4, "b", 1);
    for (auto* one : {&other_before, &other_after}) one->run.gpus[0].name = "NVIDIA A100";
    const auto rows = paired({on_host(1, "a", 1), other_before}, {on_host(3, "a", 1), other_after}).rows;
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_TRUE(rows[0].row.hosts.empty());
}

TEST(PairedRows, WithoutAGpuAreOfTheirHostToo) {
    const auto without_gpu = [](int number, const std::string& host) {
        auto one = on_host(number, host, 1);
        for (auto& row : one.rows) row.samples.gpu.clear();
        return one;
    };
    const auto both =
        paired({without_gpu(1, "a"), without_gpu(2, "b")}, {without_gpu(3, "a"), without_gpu(4, "b")}).rows;
    ASSERT_EQ(both.size(), 3U);
    EXPECT_EQ(both[0].row.hosts.size(), 2U);
    const auto two_machines = paired({without_gpu(1, "a")}, {without_gpu(2, "b")}).rows;
    ASSERT_EQ(two_machines.size(), 1U) << "one against another";
    EXPECT_TRUE(two_machines[0].row.hosts.empty());
}

TEST(PairedRows, OfAGpuWithAWrongResultLeaveTheOthers) {
    auto wrong = on_host(2, "a", 3);
    wrong.rows[0].samples.status = Status::wrong;
    const auto report = paired({on_host(1, "a", 3)}, {wrong});
    ASSERT_EQ(report.rows.size(), 4U);
    EXPECT_EQ(report.rows[0].row.gpus, 2);
    EXPECT_EQ(report.rows[3].row.invalid, "new: wrong: sum");
    EXPECT_TRUE(has_findings(report));
}

TEST(PairedRows, OfAGpuThatSurelyChangedAloneAreKept) {
    Parts before, after;
    for (int start = 1; start <= 11; ++start) {
        before.push_back(on_host(start, "a", 3, 1e-3 + 1e-7 * std::sin(7 * start)));
        after.push_back(on_host(start + 11, "a", 3, 1e-3 + 1e-7 * std::sin(9 * start)));
        for (auto& row : after.back().rows)
            if (row.samples.gpu == "GPU-a1") row.samples.seconds[0] *= 1.2;
    }
    RowNames names;
    GatheredSides sides{gathered(names, before), gathered(names, after), {}};
    const auto compared = compare_sides(names, sides);
    ASSERT_EQ(compared.rows.size(), 2U);
    EXPECT_EQ(compared.rows[0].change.verdict, ChangeVerdict::same);
    EXPECT_EQ(compared.rows[1].change.verdict, ChangeVerdict::slower);
    EXPECT_EQ(compared.rows[1].row.gpu, "GPU-a1");
}

TEST(PairedRows, BorrowTheHistoryOfOtherMachinesNotOfOtherGpusOfThisOne) {
    Parts history;
    for (int start = 3; start <= 6; ++start) history.push_back(on_host(start, "a", 8));
    const auto ours = paired({on_host(1, "a", 2)}, {on_host(2, "a", 2)}, history).rows.at(0).row.history;
    EXPECT_EQ(ours.of, "these GPUs' history");
    EXPECT_EQ(ours.groups.size(), 1U);
    EXPECT_EQ(ours.borrowed, 0U);
    for (int host = 0; host < 3; ++host)
        for (int start = 0; start < 4; ++start)
            history.push_back(on_host(7 + 4 * host + start, std::string(1, static_cast<char>('b' + host)), 8));
    const auto borrowed = paired({on_host(1, "a", 2)}, {on_host(2, "a", 2)}, history).rows.at(0).row.history;
    EXPECT_EQ(borrowed.of, "these GPUs' history and that of 24 more NVIDIA H200s");
    EXPECT_EQ(borrowed.groups.size(), 4U);
    EXPECT_EQ(borrowed.borrowed, 3U);
    EXPECT_EQ(borrowed.machines, 4);
    EXPECT_EQ(borrowed.groups.back().size(), 4U);
    EXPECT_EQ(borrowed.groups.back().at(0).process_medians.size(), 8U);
}

TEST(PairedRows, TakeContainersOfOneBootForOneMachine) {
    auto second = on_host(3, "b", 2), after = on_host(4, "b", 2);
    second.run.boot = run_of(1).boot;
    after.run.boot = run_of(2).boot;
    const auto rows = paired({on_host(1, "a", 2), second}, {on_host(2, "a", 2), after}).rows;
    ASSERT_EQ(rows.size(), 5U);
    EXPECT_EQ(rows[0].row.gpus, 4);
}

TEST(PairedRows, NothingIsSureOfImportedRowsWithoutAHost) {
    const auto answer = [](const std::string& benchmark, std::optional<std::string> host) {
        AnsweredRow one{.row = {.benchmark = benchmark}, .change = {.verdict = ChangeVerdict::slower}};
        ChangeReport report;
        report.before.runs = {{.run = {.imported = Import{.tool = "nvbench"}}}};
        report.before.runs[0].run.machine.host = std::move(host);
        withhold_without_host(one, report);
        return one.change.verdict;
    };
    EXPECT_EQ(answer("nvbench/sort", std::nullopt), ChangeVerdict::undecided);
    EXPECT_EQ(answer("nvbench/sort", "node17"), ChangeVerdict::slower);
    EXPECT_EQ(answer("copy/pinned", std::nullopt), ChangeVerdict::slower) << "it is ours";
}

}  // namespace
}  // namespace tocuda
