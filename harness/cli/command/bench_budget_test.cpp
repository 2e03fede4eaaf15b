// tocuda, Apache-2.0.
// What is measured within a time budget: groups, rounds and processes.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "command/budgeted_rounds_test.hpp"
#include "model/forecast.hpp"

namespace tocuda {
namespace {

TEST_F(Budget, MeasuresSixRoundsOfGroupBeforeNextGroup) {
    auto all = rounds(0);
    go_through(all, [](const Assignment&) { return 1; });
    ASSERT_GE(ran.size(), 36U);
    const std::vector<std::set<std::string>> groups{{"copy/device_to_device/best"},
                                                    {"memory/read", "memory/write"},
                                                    {"framework/to"},
                                                    {"start/first"},
                                                    {"fake/other"}};
    std::size_t at = 0;
    for (const auto& group : groups)
        for (int round = 1; round <= 6; ++round)
            for (std::size_t member = 0; member < group.size(); ++member, ++at) {
                EXPECT_TRUE(group.contains(ran[at].benchmark)) << at << ": " << ran[at].benchmark;
                EXPECT_EQ(ran[at].round, round) << at;
            }
    for (; at < ran.size(); ++at) EXPECT_GT(ran[at].round, 6) << "then rows that have not settled continue together";
    EXPECT_EQ(ran.back().round, rounds_most);
    EXPECT_TRUE(all.cut_short().empty());
}

TEST_F(Budget, DoesNotStartBenchmarksThatDoNotFit) {
    auto all = rounds(33);
    const double end =
        go_through(all, [](const Assignment&) { return 2.2; });  // 13 s a benchmark, several times the estimate
    EXPECT_LE(end, 33);
    EXPECT_EQ(least_rounds_of("copy/device_to_device/best"), 6);
    EXPECT_EQ(least_rounds_of("memory/read"), 6);
    EXPECT_EQ(begun(), (std::vector<std::string>{"copy/device_to_device/best", "memory/read"}));
    const auto cut = all.cut_short();
    EXPECT_EQ(cut.size(), 8U) << "both sets of the other four";
    for (const auto& one : cut) EXPECT_EQ(one.processes, 0);
    EXPECT_EQ(all.stop_of(3, {{"bytes", 4}}), Stop::budget) << "it had its six rounds, then the time ran out";
}

TEST_F(Budget, CheaperBenchmarksUseTimeThatLargerGroupLeaves) {
    for (auto& sweep : sweeps)
        if (sweep.benchmark.name.starts_with("memory/")) sweep.sets = {{{"bytes", std::int64_t{1} << 40}}};
    auto all = rounds(60);
    go_through(all, [](const Assignment&) { return 1; });
    const auto names = begun();
    EXPECT_TRUE(std::find(names.begin(), names.end(), "memory/read") == names.end());
    EXPECT_TRUE(std::find(names.begin(), names.end(), "framework/to") != names.end());
    EXPECT_TRUE(std::find(names.begin(), names.end(), "fake/other") != names.end());
}

TEST_F(Budget, PartOfGroupGetsAllRoundsIfSlowerThanEstimated) {
    for (const auto* name : {"memory/a", "memory/b", "memory/c"})
        sweeps.push_back({&worker, {.name = name, .summary = "is made up", .needs = {.gpus = 1}}, {{{"bytes", 4}}}});
    std::erase_if(sweeps, [](const Sweep& sweep) { return !sweep.benchmark.name.starts_with("memory/"); });
    auto all = rounds(60);  // five take 5 s for each process: 150 s
    EXPECT_LE(go_through(all, [](const Assignment&) { return 5; }), 60);
    EXPECT_EQ(least_rounds_of("memory/read"), 6) << "the first of all";
    for (const auto& one : all.cut_short())
        EXPECT_LE(one.processes, 1) << "a benchmark that cannot get all rounds is dropped after its first";
}

TEST_F(Budget, CutsShortBenchmarkThatGetsSlower) {
    auto all = rounds(40);
    const double end = go_through(all, [&](const Assignment& next) { return next.round < 3 ? 1.0 : 14.0; });
    EXPECT_LE(end, 45);
    const auto cut = all.cut_short();
    const auto few = std::find_if(cut.begin(), cut.end(), [](const CutShort& one) { return one.processes > 0; });
    ASSERT_TRUE(few != cut.end());
    EXPECT_LT(few->processes, 6);
    EXPECT_EQ(few->round, few->processes + 1);
    EXPECT_EQ(all.stop_of(few->unit, few->set), Stop::budget);
}

TEST_F(Budget, SixtySecondBudgetEndsWithinSeventyFive) {
    constexpr double stopped_within = 2;  // SIGTERM, a second, SIGKILL
    const std::map<std::string, std::function<double(const Assignment&)>> machines{
        {"as estimated", [](const Assignment&) { return 1.1; }},
        {"ten times slower", [](const Assignment&) { return 11; }},
        {"slower each round", [](const Assignment& next) { return 0.2 * next.round * next.round; }},
        {"one hangs", [](const Assignment& next) { return next.unit == 1 ? 1e6 : 1.1; }},
        {"all hang", [](const Assignment&) { return 1e6; }},
        {"one in three hangs", [](const Assignment& next) { return next.round % 3 == 0 ? 1e6 : 0.9; }},
    };
    for (const auto& [name, seconds] : machines)
        for (const auto* protocol : {"quick", "default", "full"}) {
            auto all = rounds(60, 1, protocol);
            ran.clear();
            EXPECT_LT(go_through(all, seconds) + stopped_within, 75) << name << ", " << protocol;
            EXPECT_FALSE(ran.empty()) << name;
            for (const auto& one : ran) EXPECT_LT(one.began, 60) << name << ", " << protocol;
        }
}

TEST_F(Budget, MeasuresFirstBenchmarkEvenIfNothingFits) {
    auto all = rounds(4);
    EXPECT_LE(go_through(all, [](const Assignment&) { return 1; }), 4);
    EXPECT_GE(ran.size(), 2U);
    EXPECT_EQ(begun(), std::vector<std::string>{"copy/device_to_device/best"});
    EXPECT_EQ(all.cut_short().size(), 12U);
    auto none = rounds(0.001);
    ran.clear();
    go_through(none, [](const Assignment&) { return 1; });
    EXPECT_TRUE(ran.empty());
    EXPECT_EQ(none.cut_short().size(), 12U);
}

TEST_F(Budget, SetsThatExceedAllTimeAreFirstAskedAbout) {
    constexpr auto pebibyte = std::int64_t{1} << 50;
    sweeps[1].sets.push_back({{"bytes", pebibyte}});
    auto all = rounds(60);
    const auto first = all.take(0);
    ASSERT_TRUE(first);
    EXPECT_TRUE(first->asks);
    EXPECT_EQ(first->unit, 1U);
    EXPECT_EQ(first->sets, (std::vector<Parameters>{{{"bytes", pebibyte}}}));
    all.hear(1, first->round, {.parameters = first->sets[0], .status = Status::skipped, .check = "too large"});
    all.ended(*first, 1, {});
    go_through(all, [](const Assignment&) { return 1; }, 1);
    EXPECT_EQ(least_rounds_of("memory/read"), 6) << "the other sets of its benchmark are measured";
    EXPECT_EQ(all.stop_of(1, {{"bytes", pebibyte}}), Stop::ended);
    EXPECT_TRUE(all.cut_short().empty());
    EXPECT_FALSE(rounds(0).take(0)->asks) << "without a limit, measuring tells";
}

TEST_F(Budget, OneThatIsTooLongForAnyProcessKeepsNoTimeFromOthers) {
    sweeps[3].sets = {{{"bytes", std::int64_t{1} << 44}}};
    auto all = rounds(60);
    go_through(all, [](const Assignment&) { return 1; });
    const auto names = begun();
    EXPECT_TRUE(std::ranges::find(names, "copy/device_to_device/best") == names.end());
    EXPECT_TRUE(std::ranges::find(names, "memory/read") != names.end());
}

TEST_F(Budget, BudgetSkipsProcessesButKeepsOrder) {
    auto whole = rounds(0, 7);
    go_through(whole, [](const Assignment&) { return 1; });
    std::vector<std::pair<std::string, int>> order;
    for (const auto& one : ran) order.emplace_back(one.benchmark, one.round);
    for (const double budget : {10.0, 20.0, 35.0, 50.0}) {
        ran.clear();
        auto part = rounds(budget, 7);
        go_through(part, [](const Assignment&) { return 1; });
        auto at = order.begin();
        for (const auto& one : ran) {
            at = std::find(at, order.end(), std::pair(one.benchmark, one.round));
            ASSERT_TRUE(at != order.end()) << budget << ": " << one.benchmark << " round " << one.round;
            ++at;
        }
    }
}

TEST_F(Budget, ResumingMeasuresWhatWasCutShort) {
    auto first = rounds(20);
    go_through(first, [](const Assignment&) { return 1; });
    const auto cut = first.cut_short();
    ASSERT_FALSE(cut.empty());
    const auto before = ran;
    auto second = rounds(0);
    for (const auto& one : before)
        for (std::size_t unit = 0; unit < sweeps.size(); ++unit)
            if (sweeps[unit].benchmark.name == one.benchmark)
                for (const auto& set : sweeps[unit].sets)
                    second.hear(unit, one.round, {.parameters = set, .seconds = {1.0 + one.round % 3}});
    for (const auto& one : cut)
        second.hear(one.unit, one.round,
                    {.parameters = one.set, .status = Status::skipped, .check = std::string(budget_word) + ": 20 s"});
    ran.clear();
    go_through(second, [](const Assignment&) { return 1; });
    EXPECT_TRUE(second.cut_short().empty());
    for (const auto& one : cut) {
        const auto& name = sweeps[one.unit].benchmark.name;
        std::set<int> taken;
        auto both = before;
        both.insert(both.end(), ran.begin(), ran.end());
        std::erase_if(both, [&](const Ran& each) { return each.benchmark != name; });
        for (const auto& each : both)
            EXPECT_TRUE(taken.insert(each.round).second) << name << " round " << each.round << " twice";
        EXPECT_TRUE(taken.contains(1) && taken.contains(6)) << name;
    }
}

}  // namespace
}  // namespace tocuda
