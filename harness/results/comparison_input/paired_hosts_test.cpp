// tocuda, Apache-2.0.
// Rows of several hosts and of their GPUs: what is one row, and who is a witness.
#include <gtest/gtest.h>

#include <cmath>

#include "comparison_input/made_up_runs_test.hpp"
#include "comparison_input/paired_rows.hpp"
#include "model/words.hpp"

namespace tocuda {
namespace {

using made_up::changed;
using made_up::gathered;
using made_up::paired;
using made_up::row_of;
using made_up::run_of;
using made_up::RunRows;
using made_up::Runs;

RunRows on_host(int number, const std::string& host, int gpus, double seconds = 1e-3,
                const std::string& driver = "570.86.15") {
    RunRows one{run_of(number, driver), {}};
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

TEST(PairedRows, OfEightHostsAreOneUnlessTheyAreOfFewBlocks) {
    Runs before, after;
    for (int host = 0; host < 8; ++host) {
        before.push_back(on_host(host, "h" + std::to_string(host), 2));
        after.push_back(on_host(8 + host, "h" + std::to_string(host), 2));
        before.back().run.labels["rack"] = after.back().run.labels["rack"] = host < 4 ? "left" : "right";
    }
    EXPECT_EQ(paired(before, after).rows.size(), 1U) << "a single host is found by all its rows";
    RowNames names;
    GatheredSides sides{gathered(names, before), gathered(names, after), {}, "rack"};
    EXPECT_EQ(pair_rows(names, sides, 20).rows.size(), 25U) << "all, then each with its GPUs";
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
    Runs before, after;
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
    Runs history;
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
