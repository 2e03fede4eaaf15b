// tocuda, Apache-2.0.
// Answers for two sides: those of the rules, and no change for starts that are on both sides.
#include <gtest/gtest.h>

#include <tuple>

#include "comparison_input/made_up_sections_test.hpp"
#include "comparison_input/paired_rows.hpp"
#include "comparison_rules/row_comparison.hpp"

namespace tocuda {
namespace {

constexpr int starts = 12;

// Returns starts from this number on, whose times differ by less than 0.1 %.
std::vector<GatheredSection> side(RowNames& names, int first, double seconds) {
    Gathering gathering(names);
    for (int number = first; number < first + starts; ++number) {
        const double own = seconds * (1 + (number * 7 % 5 + number * 1e-3) * 2e-4);
        made_up::add_run(gathering, made_up::run_of(number), made_up::rows_of("copy/x", {own, own, own}));
    }
    std::vector<std::string> warnings;
    return gathering.finish(warnings);
}

GatheredSides sides_of(RowNames& names, int first_after) {
    return {side(names, 1, 1e-3), side(names, first_after, 1.05e-3), side(names, 1 + 2 * starts, 1e-3)};
}

TEST(AnsweredRows, FollowTheRules) {
    RowNames names;
    auto sides = sides_of(names, 1 + starts);
    const auto report = compare_sides(names, sides);
    ASSERT_EQ(report.rows.size(), 1U);
    EXPECT_EQ(report.rows[0].change.verdict, ChangeVerdict::slower) << report.rows[0].change.because;
    EXPECT_EQ(report.rows[0].change.freedom, 3 * (starts - 1));
    EXPECT_EQ(report.rows[0].row.history.of, "this GPU's history");
    const auto paired = pair_rows(names, sides, ComparisonRules{}.freedom_min);
    EXPECT_EQ(compare_rows(std::vector{paired.rows.at(0).row}).at(0), report.rows[0].change);
    EXPECT_TRUE(has_findings(report));
    EXPECT_TRUE(compared_anything(report));
}

TEST(AnsweredRows, FindATailThatBecameLongerBesideAnUnchangedMedian) {
    RowNames names;
    const auto side_with = [&](int first, double p99) {
        Gathering gathering(names);
        for (int number = first; number < first + starts; ++number) {
            const double own = 1 + (number * 7 % 5 + number * 1e-3) * 2e-4;
            auto rows = made_up::rows_of("calls/launch", std::vector(3, own * 1e-6));
            for (auto& row : rows)
                row.samples.tail = SingleTimes{.of = 1000, .p50 = own * 1e-6, .p99 = own * p99, .largest = 1};
            made_up::add_run(gathering, made_up::run_of(number), rows);
        }
        std::vector<std::string> warnings;
        return gathering.finish(warnings);
    };
    GatheredSides sides{side_with(1, 3e-6), side_with(1 + starts, 4e-6), side_with(1 + 2 * starts, 3e-6)};
    const auto report = compare_sides(names, sides);
    ASSERT_EQ(report.rows.size(), 2U);
    sides.before.resize(1);
    sides.after.resize(1);
    sides.history.clear();
    for (const auto& one : compare_sides(names, sides, {}, [](const std::string&) { return 0.001; }).rows)
        EXPECT_EQ(one.row.assumed_noise.has_value(), !is_tail(one.row));
    for (const auto& one : report.rows) {
        const auto expected = is_tail(one.row) ? ChangeVerdict::slower : ChangeVerdict::same;
        EXPECT_EQ(one.change.verdict, expected) << one.change.because;
    }
}

TEST(AnsweredRows, WithAStartOnBothSidesAreUndecided) {
    RowNames names;
    auto sides = sides_of(names, starts);
    const auto report = compare_sides(names, sides);
    EXPECT_EQ(report.rows.at(0).change.verdict, ChangeVerdict::undecided);
    EXPECT_EQ(report.rows[0].change.because, "the same start is on both sides");
    EXPECT_FALSE(report.rows[0].change.detectable);
    EXPECT_FALSE(has_findings(report));
}

// Returns the answer for two runs of simulated GPUs, of which each process took one of these times.
ChangeReport simulated(const std::vector<double>& before, const std::vector<double>& after) {
    RowNames names;
    GatheredSides sides;
    for (const auto& [number, seconds, side] :
         {std::tuple(1, &before, &sides.before), std::tuple(2, &after, &sides.after)}) {
        auto run = made_up::run_of(number);
        run.device = Device::simulated;
        auto rows = made_up::rows_of("copy/x", *seconds);
        for (auto& row : rows) row.device = Device::simulated;
        Gathering gathering(names);
        made_up::add_run(gathering, run, rows);
        std::vector<std::string> warnings;
        *side = gathering.finish(warnings);
    }
    return compare_sides(names, sides);
}

TEST(AnsweredRows, WithoutNoiseNeedNoise) {
    for (const auto& report :
         {simulated({1e-3, 1e-3}, {1e-3, 1e-3}), simulated({1e-3}, {1e-3}), simulated({1e-3, 1e-3}, {2e-3, 2e-3})}) {
        EXPECT_EQ(report.without_noise, 1);
        EXPECT_EQ(report.rows.at(0).change.because, "no independent starts: simulated without noise");
        EXPECT_EQ(report.rows[0].change.starts_missing, 0) << "more of them would decide nothing";
    }
    const auto noisy = simulated({1e-3, 1.1e-3}, {1e-3, 1.1e-3});
    EXPECT_EQ(noisy.without_noise, 0);
    EXPECT_GT(noisy.rows.at(0).change.starts_missing, 0);
}

}  // namespace
}  // namespace tocuda
