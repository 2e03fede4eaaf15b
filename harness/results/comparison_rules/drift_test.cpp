// tocuda, Apache-2.0.
// Drift from start to start is seen, independent starts are rarely taken for it, and what rests on it is no finding.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "comparison_rules/row_comparison.hpp"
#include "statistics/random_numbers.hpp"

namespace tocuda {
namespace {

struct Drifting {
    double keeps = 0;  // correlation of a start with the one before
    double alike = 0;  // the part of the variance that all rows have in common
    int starts = 11;   // a side, those of the old one first
    double change = 0;
};

std::vector<double> walk(double keeps, int starts, RandomNumbers& random) {
    std::vector<double> values{random.normal()};
    while (static_cast<int>(values.size()) < starts)
        values.push_back(keeps * values.back() + std::sqrt(1 - keeps * keeps) * random.normal());
    return values;
}

std::vector<ComparedRow> made_up_rows(const Drifting& noise, int count, std::uint64_t seed) {
    RandomNumbers random(seed);
    std::vector<ComparedRow> rows(static_cast<std::size_t>(count));
    const auto common = walk(noise.keeps, 2 * noise.starts, random);
    for (auto& row : rows) {
        const auto own = walk(noise.keeps, 2 * noise.starts, random);
        for (std::size_t i = 0; i < own.size(); ++i) {
            const bool is_old = static_cast<int>(i) < noise.starts;
            const double value = std::sqrt(noise.alike) * common[i] + std::sqrt(1 - noise.alike) * own[i];
            const double seconds = 1e-3 * std::exp(0.003 * value) * (is_old ? 1 : 1 + noise.change);
            const auto place = static_cast<std::uint32_t>(i);
            (is_old ? row.before : row.after).push_back({"", {seconds}, place, place});
        }
    }
    return rows;
}

struct Counted {
    int seen = 0, sure = 0, likely = 0;
};

Counted count(const Drifting& noise, int comparisons, int rows = 20) {
    Counted counted;
    for (int turn = 0; turn < comparisons; ++turn) {
        std::vector<RowEstimate> estimates;
        for (const auto& row : made_up_rows(noise, rows, 100 + static_cast<std::uint64_t>(turn)))
            estimates.push_back(estimate(row));
        const auto answers = compare_estimates(estimates);
        counted.seen += chance_of_succession(estimates) <= 0.02;
        counted.sure += std::ranges::any_of(answers, [](const RowChange& one) { return is_change(one.verdict); });
        counted.likely += std::ranges::any_of(answers, [](const RowChange& one) { return is_likely(one.verdict); });
    }
    return counted;
}

TEST(Drift, RatioIsThatOfVonNeumann) {
    const StartSeries steps{0, {}, {1, 2, 4}}, level{1, {}, {3, 3, 3}}, pair{2, {}, {1, 9}};
    const std::vector all{steps, level, pair};
    const auto [ratio, deviation] = succession_of(all);
    EXPECT_DOUBLE_EQ(ratio, (1.0 + 4.0) / 2 / (14.0 / 3));
    EXPECT_DOUBLE_EQ(deviation, std::sqrt(2.0 / 24)) << "a pair says nothing";
    EXPECT_EQ(succession_of(std::vector{pair}).deviation, 0);
}

TEST(Drift, IsSeenAndRaisesNoAlarm) {
    for (const double keeps : {0.5, 0.8}) {
        const auto counted = count({.keeps = keeps}, 100);
        EXPECT_GE(counted.seen, 99);
        EXPECT_EQ(counted.sure, 0);
        EXPECT_EQ(counted.likely, 0);
    }
}

TEST(Drift, ThatAllRowsHaveInCommonRaisesFewAlarms) {
    const auto counted = count({.keeps = 0.8, .alike = 0.9}, 200);
    EXPECT_GT(counted.seen, 100);
    EXPECT_LE(counted.sure, 5);
}

TEST(Drift, IsSeldomSeenInIndependentStarts) {
    // Of 300 at 2 %, more than 14 have a probability of 1 in 1,000.
    EXPECT_LE(count({}, 300).seen, 14);
    EXPECT_LE(count({.alike = 0.9}, 300).seen, 14);
    EXPECT_LE(count({.starts = 3}, 300).seen, 14);
    EXPECT_GE(count({.change = 0.02}, 100).sure, 94) << "a change is no drift";
}

TEST(Drift, OfOneRowIsNotThatOfTheOthers) {
    auto rows = made_up_rows({.change = 0.02}, 100, 7);
    auto& drifting = rows[3];
    for (auto* side : {&drifting.before, &drifting.after})
        for (std::size_t i = 0; i < side->size(); ++i)
            (*side)[i].process_medians = {(side == &drifting.before ? 1e-3 : 1.05e-3) *
                                          (1 + 0.0003 * static_cast<double>(i))};
    const auto answers = compare_rows(rows);
    EXPECT_EQ(answers[3].verdict, ChangeVerdict::undecided);
    EXPECT_NE(answers[3].because.find("starts next to each other in time are alike"), std::string::npos);
    EXPECT_FALSE(answers[3].interval || answers[3].detectable || answers[3].not_excluded);
    EXPECT_GE(std::ranges::count(answers, ChangeVerdict::slower, &RowChange::verdict), 97);
}

TEST(Drift, IsNoObstacleWhereTheSidesAlternate) {
    auto rows = made_up_rows({.keeps = 0.8, .change = 0.05}, 20, 6);
    EXPECT_EQ(std::ranges::count(compare_rows(rows), ChangeVerdict::slower, &RowChange::verdict), 0);
    for (auto& row : rows) row.in_turns = true;
    EXPECT_EQ(std::ranges::count(compare_rows(rows), ChangeVerdict::slower, &RowChange::verdict), 20);
}

}  // namespace
}  // namespace tocuda
