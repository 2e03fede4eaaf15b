// tocuda, Apache-2.0.
// The rounds of measurement: their order, when rows settle, and when the rounds end.
#include "execution/bench_rounds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "execution/bench_plan.hpp"
#include "model/parameter_values.hpp"

namespace tocuda {
namespace {

using Times = std::function<double(const Parameters& set, int round)>;

class Rounds : public testing::Test {
protected:
    Rounds() : torch{"tocuda-torch", "/x", "", {{"libtorch", "2.15.0"}}}, cuda{"tocuda-cuda", "/y"} {
        sweeps.push_back({&torch, {.name = "fake/to", .summary = "is made up"}, {{{"bytes", 4}}, {{"bytes", 8}}}});
        sweeps.push_back({&cuda,
                          {.name = "fake/read", .summary = "is made up"},
                          {{{"bytes", 4}}, {{"bytes", 16}}, {{"bytes", 64}}}});
    }

    BenchRounds rounds(double budget = 0, std::uint64_t seed = 1, const std::string& protocol = "default") {
        return {{{.sweep = &sweeps[0], .gpus = {0}}, {.sweep = &sweeps[1], .gpus = {0}}},
                protocol_called(protocol),
                seed,
                {.seconds = budget}};
    }

    // Measures everything, one second for each process. Returns the requests, one line for each process.
    static std::vector<std::string> go_through(BenchRounds& rounds, const Times& times) {
        std::vector<std::string> asked;
        while (const auto next = rounds.take(static_cast<double>(asked.size()))) {
            std::string line =
                rounds.all()[next->unit].sweep->benchmark.name + " round " + std::to_string(next->round) + ":";
            for (const auto& set : next->sets) {
                line += " " + plain(set);
                rounds.hear(next->unit, next->round, {.parameters = set, .seconds = {times(set, next->round)}});
            }
            asked.push_back(line);
            rounds.ended(*next, 1, {});
        }
        return asked;
    }
    static double constant(const Parameters&, int) { return 1; }

    Worker torch;
    Worker cuda;
    std::vector<Sweep> sweeps;
};

TEST_F(Rounds, MeasuresSteadyRowsSixTimes) {
    auto all = rounds();
    EXPECT_EQ(go_through(all, constant).size(), 12U);
    EXPECT_EQ(all.stop_of(1, {{"bytes", 16}}), Stop::settled);
}

TEST_F(Rounds, PairsAreAdjacentAndEitherUnitMayBeFirst) {
    const BenchUnit first{.sweep = &sweeps[0], .gpus = {0}};
    const BenchUnit second{.sweep = &sweeps[1], .gpus = {0}};
    BenchRounds all({first, first, second, second},
                    RoundRules{.first = 7, .least = 20, .most = 20, .settles = false, .pairs = true}, Protocol{}, 1,
                    {});
    std::vector<Assignment> taken;
    while (auto next = all.take(0)) {
        for (const auto& set : next->sets) all.hear(next->unit, next->round, {.parameters = set, .seconds = {1}});
        taken.push_back(*next);
        all.ended(taken.back(), 1, {});
    }
    ASSERT_EQ(taken.size(), 4U * 14U) << "nothing settles";
    EXPECT_EQ(taken.front().round, 7);
    int even_first = 0;
    for (std::size_t i = 0; i < taken.size(); i += 2) {
        EXPECT_EQ(taken[i].unit / 2, taken[i + 1].unit / 2) << i;
        EXPECT_EQ(taken[i].round, taken[i + 1].round) << i;
        EXPECT_NE(taken[i].unit, taken[i + 1].unit) << i;
        even_first += taken[i].unit % 2 == 0 ? 1 : 0;
    }
    EXPECT_GT(even_first, 5);
    EXPECT_LT(even_first, 23);
}

TEST_F(Rounds, QuickContinuesToSixIfTimeAllows) {
    auto all = rounds(60, 1, "quick");
    EXPECT_EQ(go_through(all, constant).size(), 12U);
}

TEST_F(Rounds, BenchmarkOfOneProcessIsPlannedOnce) {
    sweeps[1].benchmark.processes = 1;
    sweeps[1].sets = {{{"seconds", 60}}};
    auto all = rounds();
    EXPECT_EQ(all.forecast().processes, 7U);
    EXPECT_GT(all.forecast().seconds, 60);
    EXPECT_LT(all.forecast().seconds, 120);
    EXPECT_EQ(go_through(all, constant).size(), 7U);
    EXPECT_EQ(all.stop_of(1, {{"seconds", 60}}), Stop::once);
    EXPECT_TRUE(all.cut_short().empty());
}

TEST_F(Rounds, OnlyBenchmarksOfOneProcessNeedOne) {
    for (auto& sweep : sweeps) sweep.benchmark.processes = 1;
    auto all = rounds();
    EXPECT_EQ(all.forecast().least, 1);
    EXPECT_FALSE(all.forecast().may_take_more);
    EXPECT_EQ(go_through(all, [](const Parameters&, int round) { return round; }).size(), 2U);
}

TEST_F(Rounds, OnlyUnsettledRowsContinue) {
    auto all = rounds();
    const auto asked = go_through(all, [](const Parameters& set, int round) {
        return set == Parameters{{"bytes", 16}} ? 1 + 0.1 * (round % 3) : 1;
    });
    ASSERT_EQ(asked.size(), 12U + rounds_most - 6);
    for (std::size_t i = 12; i < asked.size(); ++i)
        EXPECT_EQ(asked[i], "fake/read round " + std::to_string(i - 5) + ": bytes=16");
    EXPECT_EQ(all.stop_of(1, {{"bytes", 16}}), Stop::processes);
    EXPECT_EQ(all.stop_of(1, {{"bytes", 4}}), Stop::settled);
}

TEST_F(Rounds, SeedDeterminesOrder) {
    auto one = rounds(0, 5);
    auto same = rounds(0, 5);
    auto other = rounds(0, 6);
    const auto asked = go_through(one, constant);
    EXPECT_EQ(go_through(same, constant), asked);
    EXPECT_NE(go_through(other, constant), asked);
    const auto orders = [&] {
        std::set<std::string> found;
        for (const auto& line : asked)
            if (line.starts_with("fake/read")) found.insert(line.substr(line.find(':')));
        return found.size();
    }();
    EXPECT_GT(orders, 1U) << "each process has an order of its own";
}

TEST_F(Rounds, FirstProcessDoesNotFillMuchMemory) {
    const Sweep large{
        &cuda, {.name = "fake/large", .summary = "is made up"}, {{{"bytes", 4}}, {{"bytes", std::int64_t{1} << 30}}}};
    const Sweep small{&cuda, {.name = "fake/small", .summary = "is made up"}, {Parameters{{"bytes", 65536}}}};
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        BenchRounds all({{.sweep = &large}, {.sweep = &small}}, protocol_called("default"), seed, {});
        EXPECT_EQ(all.take(0)->unit, 1U) << seed;
    }
}

TEST_F(Rounds, FirstProcessDoesNotLoadLibTorch) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) EXPECT_EQ(rounds(0, seed).take(0)->unit, 1U) << seed;
}

TEST_F(Rounds, AnotherProcessTakesLeftOverSetsInSameRound) {
    auto all = rounds();
    const auto first = *all.take(0);
    ASSERT_EQ(first.sets.size(), 3U);
    all.hear(first.unit, 1, {.parameters = first.sets[0], .status = Status::crashed});
    all.ended(first, 1, {first.sets[1], first.sets[2]});
    const auto second = *all.take(1);
    EXPECT_EQ(second.unit, first.unit);
    EXPECT_EQ(second.round, 1);
    EXPECT_EQ(second.sets, (std::vector<Parameters>{first.sets[1], first.sets[2]}));
    EXPECT_EQ(all.stop_of(first.unit, first.sets[0]), Stop::ended);
}

TEST_F(Rounds, NextRoundBeginsAfterAllProcessesOfLastRound) {
    auto all = rounds();
    const auto one = *all.take(0);
    const auto other = *all.take(0);
    EXPECT_FALSE(all.take(0));
    for (const auto& each : {one, other})
        for (const auto& set : each.sets) all.hear(each.unit, 1, {.parameters = set, .seconds = {1}});
    all.ended(one, 1, {});
    EXPECT_FALSE(all.take(1));
    all.ended(other, 1, {});
    EXPECT_EQ(all.take(2)->round, 2);
}

TEST_F(Rounds, DroppedUnitIsNotMeasuredAgain) {
    auto all = rounds();
    all.drop(1);
    for (const auto& line : go_through(all, constant)) EXPECT_TRUE(line.starts_with("fake/to")) << line;
    EXPECT_EQ(all.sets_without_a_row(1).size(), 3U);
}

TEST_F(Rounds, RecordedRowsAreNotMeasuredAgain) {
    auto whole = rounds();
    const auto asked = go_through(whole, constant);
    auto rest = rounds();
    for (int round = 1; round <= 2; ++round)
        for (std::size_t unit = 0; unit < 2; ++unit)
            for (const auto& set : sweeps[unit].sets) rest.hear(unit, round, {.parameters = set, .seconds = {1}});
    EXPECT_EQ(go_through(rest, constant), std::vector<std::string>(asked.begin() + 4, asked.end()));
}

TEST_F(Rounds, OrderIsTheSameWhereverAMeasurementWasStopped) {
    for (std::uint64_t seed = 1; seed < 9; ++seed) {
        auto whole = rounds(0, seed);
        const auto unbroken = go_through(whole, constant);
        auto first = rounds(0, seed);
        std::vector<std::pair<Assignment, Samples>> rows;
        while (const auto next = first.take(0)) {
            for (const auto& set : next->sets) rows.push_back({*next, {.parameters = set, .seconds = {1}}});
            first.ended(*next, 1, {});
            for (const auto& set : next->sets) first.hear(next->unit, next->round, {.parameters = set, .seconds = {1}});
        }
        for (std::size_t stopped = 1; stopped < rows.size(); ++stopped) {
            auto again = rounds(0, seed);
            for (std::size_t row = 0; row < stopped; ++row)
                again.hear(rows[row].first.unit, rows[row].first.round, rows[row].second);
            const auto rest = go_through(again, constant);
            ASSERT_LE(rest.size(), unbroken.size());
            // The first process may have fewer sets than before; the later ones are the same.
            EXPECT_TRUE(std::equal(rest.rbegin(), rest.rend() - 1, unbroken.rbegin()))
                << "seed " << seed << ", stopped after " << stopped << " rows";
        }
    }
}

TEST_F(Rounds, InvalidSamplesDoNotSettleRows) {
    auto all = rounds(20);
    while (const auto next = all.take(0)) {
        for (const auto& set : next->sets)
            all.hear(next->unit, next->round,
                     {.parameters = set, .status = next->round > 8 ? Status::ok : Status::invalid, .seconds = {1}});
        all.ended(*next, 0, {});
    }
    EXPECT_EQ(all.round(), 15) << "six valid processes are needed";
}

std::vector<Gpu> gpus(int count) {
    std::vector<Gpu> found;
    for (int index = 0; index < count; ++index)
        found.push_back(
            {.index = index, .name = "GPU", .compute_capability = "8.0", .memory_bytes = std::int64_t{1} << 30});
    return found;
}

TEST_F(Rounds, EachGpuIsOneUnitAndSeveralAreOneTogether) {
    sweeps[0].benchmark.needs.gpus = 1;
    sweeps[1].benchmark.needs.gpus = 2;
    const auto units = bench_units(sweeps, {0, 2}, true, gpus(3));
    ASSERT_EQ(units.size(), 3U);
    EXPECT_EQ(units[0].gpus, std::vector<int>{0});
    EXPECT_EQ(units[1].gpus, std::vector<int>{2});
    EXPECT_EQ(units[2].gpus, (std::vector<int>{0, 2}));
    EXPECT_EQ(bench_units(sweeps, {0}, false, gpus(2))[1].gpus, (std::vector<int>{0, 1})) << "no GPUs were chosen";
    EXPECT_EQ(bench_units(sweeps, {0}, true, gpus(2))[1].skipped, "needs 2 GPUs; --gpus chose 1");
}

TEST_F(Rounds, SkipsBenchmarksThatGpuCannotRun) {
    sweeps[0].benchmark.needs = {.gpus = 1, .compute_capability = "9.0"};
    sweeps[1].benchmark.needs = {.gpus = 1, .free_gib = 4};
    const auto units = bench_units(sweeps, {0}, false, gpus(1));
    EXPECT_EQ(units[0].skipped, "needs compute capability 9.0; GPU has 8.0");
    EXPECT_EQ(units[1].skipped, "needs 4 GiB; GPU has 1");
    BenchRounds all(units, protocol_called("default"), 1, {});
    EXPECT_FALSE(all.take(0));
}

}  // namespace
}  // namespace tocuda
