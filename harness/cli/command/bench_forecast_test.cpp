// tocuda, Apache-2.0.
// What fits into a time budget by estimate, and what of the rest is measured with the time that is left.
#include <gtest/gtest.h>

#include "command/budgeted_rounds_test.hpp"

namespace tocuda {
namespace {

TEST_F(Budget, WhatWasLeftOutIsMeasuredIfOthersWereFasterThanEstimated) {
    std::erase_if(sweeps, [](const Sweep& sweep) { return !sweep.benchmark.name.starts_with("memory/"); });
    const double whole = rounds(0).forecast().seconds;
    auto all = rounds(0.7 * whole);
    EXPECT_EQ(all.forecast().sets_in_time, 2U) << "one benchmark of two";
    go_through(all, [](const Assignment&) { return 0.1; });
    EXPECT_EQ(least_rounds_of("memory/read"), 6);
    EXPECT_EQ(least_rounds_of("memory/write"), 6);
    EXPECT_TRUE(all.cut_short().empty());
}

TEST_F(Budget, WhatIsLeftOutIsTakenUpAsOftenAsTimeIsLeft) {
    sweeps.erase(sweeps.begin() + 1, sweeps.end());
    sweeps[0].sets.clear();
    for (int bytes = 1; bytes <= 800; ++bytes) sweeps[0].sets.push_back({{"bytes", bytes}});
    auto all = rounds(60);
    ASSERT_GT(known_seconds(sweeps[0], sweeps[0].sets, protocol_called("default"), false, 1), 60)
        << "not even one process";
    EXPECT_GT(go_through(all, [](const Assignment& next) { return 0.01 * static_cast<double>(next.sets.size()); }), 55)
        << "faster than estimated";
    EXPECT_LT(all.cut_short().size(), 40U);
}

TEST_F(Budget, OfABenchmarkThatDoesNotFitTheFirstSetsAreMeasured) {
    std::erase_if(sweeps, [](const Sweep& sweep) { return sweep.benchmark.name != "fake/other"; });
    sweeps[0].benchmark.alternates = "through";
    sweeps[0].sets.clear();
    for (int bytes = 1; bytes <= 100; ++bytes)
        for (const auto* through : {"libtorch", "runtime"})
            sweeps[0].sets.push_back({{"bytes", bytes}, {"through", through}});
    sweeps.push_back({&worker,
                      {.name = "memory/read", .summary = "is made up", .needs = {.gpus = 1}, .group = {"memory", 0}},
                      {{{"bytes", 4}}}});
    auto all = rounds(60);
    const auto fit = all.forecast().sets_in_time;
    EXPECT_GT(fit, 10U);
    EXPECT_LT(fit, 190U);
    EXPECT_LE(go_through(all,
                         [&](const Assignment& next) {
                             return known_seconds(sweeps[next.unit], next.sets, protocol_called("default"), false, 1);
                         }),
              60);
    EXPECT_EQ(least_rounds_of("memory/read"), 6) << "what fits whole is first";
    const auto cut = all.cut_short();
    EXPECT_EQ(cut.size(), 201 - fit);
    for (const auto& one : cut) EXPECT_EQ(one.processes, 0) << "the sets that were begun have all their rounds";
    EXPECT_GT(whole_if_any(cut.front().set, "bytes"), 5) << "the first ones are measured";
    EXPECT_EQ(cut.size() % 2, 0U) << "what is measured in turns stays together";
}

TEST_F(Budget, ForecastSaysHowMuchFits) {
    const auto whole = rounds(0).forecast();
    EXPECT_EQ(rounds(2 * whole.seconds).forecast().sets_in_time, 12U);
    EXPECT_EQ(rounds(whole.seconds / 2).forecast().sets_in_time, 6U);
    EXPECT_EQ(rounds(0.01).forecast().sets_in_time, 0U);
}

TEST_F(Budget, WhatWasNotStartedSaysWhatItNeedsAndWhatWasLeft) {
    auto all = rounds(12);
    go_through(all, [](const Assignment&) { return 1; });
    ASSERT_FALSE(ran.empty());
    for (const auto& one : all.cut_short()) EXPECT_GT(one.needed, 1) << one.unit;
    auto none = rounds(0.5);
    go_through(none, [](const Assignment&) { return 1; });
    for (const auto& one : none.cut_short()) EXPECT_NEAR(one.left, 0.5, 1e-9) << "nothing was started";
}

TEST_F(Budget, ForecastCountsWhatIsMissing) {
    auto all = rounds(0);
    const auto whole = all.forecast();
    EXPECT_EQ(whole.benchmarks, 6U);
    EXPECT_EQ(whole.sets, 12U);
    EXPECT_EQ(whole.processes, 36U);
    EXPECT_GT(whole.seconds, 36 * 0.5) << "no process starts faster on a GPU";
    for (int round = 1; round <= 6; ++round)
        for (const auto& set : sweeps[1].sets) all.hear(1, round, {.parameters = set, .seconds = {1}});
    EXPECT_EQ(all.forecast().processes, 30U);
    EXPECT_LT(all.forecast().seconds, whole.seconds);
}

}  // namespace
}  // namespace tocuda
