// tocuda, Apache-2.0.
// Each verdict by itself, and properties that hold for thousands of random rows.
#include "comparison_rules/row_comparison.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "statistics/random_numbers.hpp"

namespace tocuda {
namespace {

std::vector<Start> starts(const std::vector<double>& seconds) {
    std::vector<Start> result;
    for (const double value : seconds) result.push_back({"", {value, value, value}});
    return result;
}

std::vector<double> spread_about(double seconds, double part, int count) {
    std::vector<double> values;
    for (int i = 0; i < count; ++i) values.push_back(seconds * (1 + part * std::sin(2.4 * i + 1)));
    return values;
}

// A history of 21 starts with a standard deviation of about 0.14 %, and three starts a side.
ComparedRow row(double after_over_before) {
    ComparedRow result;
    result.before = starts(spread_about(1e-3, 0.002, 3));
    result.after = starts(spread_about(1e-3 * after_over_before, 0.002, 3));
    result.history.groups.push_back(starts(spread_about(0.9e-3, 0.002, 21)));
    return result;
}

RowChange compare(const ComparedRow& one) { return compare_rows(std::vector{one}).front(); }

TEST(RowComparison, EqualSidesAreTheSame) {
    const auto answer = compare(row(1));
    EXPECT_EQ(answer.verdict, ChangeVerdict::same);
    EXPECT_NEAR(*answer.change, 0, 1e-9);
    EXPECT_EQ(answer.freedom, 24);
    EXPECT_EQ(answer.starts_before, 3);
    EXPECT_EQ(answer.processes_after, 9);
    EXPECT_EQ(answer.starts_missing, 0);
    EXPECT_TRUE(answer.because.empty());
}

TEST(RowComparison, ThreePercentMoreIsSlowerAndLessIsFaster) {
    const auto slower = compare(row(1.03));
    EXPECT_EQ(slower.verdict, ChangeVerdict::slower);
    EXPECT_NEAR(*slower.change, 0.03, 1e-9);
    EXPECT_GT(slower.interval->low, 0);
    EXPECT_NEAR(*slower.interval_level, 0.99, 1e-12);
    const auto faster = compare(row(1 / 1.03));
    EXPECT_EQ(faster.verdict, ChangeVerdict::faster);
    EXPECT_LT(faster.interval->high, 0);
}

TEST(RowComparison, OneBadProcessChangesNothing) {
    auto bad = row(1);
    bad.after[1].process_medians[2] *= 2;
    EXPECT_EQ(compare(bad).change, compare(row(1)).change);
    EXPECT_EQ(compare(bad).verdict, ChangeVerdict::same);
}

TEST(RowComparison, OneOutlyingStartNeitherHidesNorMakesAChange) {
    auto odd = row(1);
    odd.after[0].process_medians = {1.05e-3, 1.05e-3, 1.05e-3};
    EXPECT_NE(compare(odd).verdict, ChangeVerdict::slower);
    odd = row(1.03);
    odd.after[0].process_medians = {1.035e-3, 1.035e-3, 1.035e-3};
    EXPECT_EQ(compare(odd).verdict, ChangeVerdict::slower);
}

TEST(RowComparison, TwoStartsOfThreeAreNoChangeIfTheThirdIsAsBefore) {
    auto mixed = row(1.03);
    mixed.after[2] = mixed.before[2];
    const auto answer = compare(mixed);
    EXPECT_EQ(answer.verdict, ChangeVerdict::undecided);
    EXPECT_EQ(answer.because, "single starts deviate nearly as much without any change");
    EXPECT_GT(answer.starts_missing, 0);
}

TEST(RowComparison, DeviationsSeenInTheHistoryAreNoChange) {
    auto bimodal = row(1.03);
    bimodal.history.groups[0][7].process_medians = {0.93e-3, 0.93e-3, 0.93e-3};
    const auto answer = compare(bimodal);
    EXPECT_EQ(answer.verdict, ChangeVerdict::undecided);
    EXPECT_EQ(answer.because, "single starts deviate nearly as much without any change");
    EXPECT_LT(answer.interval->low, 0);
}

TEST(RowComparison, TooFewStartsReportHowManyAreMissing) {
    auto few = row(1.03);
    few.after.pop_back();
    auto answer = compare(few);
    EXPECT_EQ(answer.verdict, ChangeVerdict::undecided);
    EXPECT_EQ(answer.because, "2 of 3 starts on the new side");
    EXPECT_EQ(answer.starts_missing, 1);
    EXPECT_NEAR(*answer.change, 0.03, 0.003);
    EXPECT_TRUE(answer.interval && !answer.detectable);
    few.before.clear();
    answer = compare(few);
    EXPECT_EQ(answer.because, "no time on the old side");
    EXPECT_EQ(answer.starts_missing, 4);
    EXPECT_FALSE(answer.change || answer.interval || answer.detectable);
}

TEST(RowComparison, InvalidTimesAreReportedWithTheirSide) {
    const auto because = [](auto&& spoil) {
        auto one = row(1.03);
        spoil(one);
        const auto answer = compare(one);
        EXPECT_EQ(answer.verdict, ChangeVerdict::invalid);
        return answer.because;
    };
    EXPECT_EQ(because([](ComparedRow& one) { one.before[0].process_medians[0] = 0; }),
              "a time on the old side is not positive and finite");
    EXPECT_EQ(because([](ComparedRow& one) { one.after[1].process_medians[0] = -1; }),
              "a time on the new side is not positive and finite");
    EXPECT_EQ(because([](ComparedRow& one) { one.history.groups[0][0].process_medians[0] = std::nan(""); }),
              "a time in the history is not positive and finite");
}

TEST(RowComparison, WithoutHistoryDegreesOfFreedomAreMissing) {
    auto alone = row(1.03);
    alone.history.groups.clear();
    const auto answer = compare(alone);
    EXPECT_EQ(answer.verdict, ChangeVerdict::undecided);
    EXPECT_EQ(answer.because,
              "4 of the 20 degrees of freedom needed to be sure (each start after a group's first adds one)");
    EXPECT_EQ(answer.starts_missing, 16);
    auto single = row(1.03);
    single.history.groups.clear();
    single.before.resize(1);
    single.after.resize(1);
    EXPECT_FALSE(compare(single).interval);
    EXPECT_EQ(compare(single).starts_missing, 20);
}

TEST(RowComparison, DifferencesBetweenHistoryGroupsAreNotSpread) {
    auto two = row(1);
    two.history.groups.push_back(starts(spread_about(5e-3, 0.002, 21)));
    EXPECT_EQ(compare(two).freedom, 44);
    EXPECT_LT(*compare(two).detectable, *compare(row(1)).detectable * 1.05);
}

TEST(RowComparison, MarginRisesToTheLargestStepOfTheHistory) {
    auto stepping = row(1);
    auto values = spread_about(1e-3, 0.0002, 12);
    for (std::size_t i = 6; i < values.size(); ++i) values[i] *= 1.02;
    stepping.history.groups[0] = starts(values);
    EXPECT_NEAR(compare(stepping).margin, 0.02, 0.001);
    EXPECT_EQ(compare(row(1)).margin, 0.005);
}

TEST(RowComparison, MoreRowsNeedStrongerEvidence) {
    const std::vector<ComparedRow> many(1000, row(1));
    const auto answers = compare_rows(many);
    EXPECT_NEAR(*answers[0].interval_level, 1 - 1e-5, 1e-12);
    EXPECT_GT(*answers[0].detectable, *compare(row(1)).detectable * 1.3);
    EXPECT_GT(answers[0].interval->high, compare(row(1)).interval->high);
}

TEST(RowComparison, HolmLevelsCountTheRemainingRows) {
    std::vector<ComparedRow> rows(10, row(1));
    rows[3] = row(1.05);
    const auto answers = compare_rows(rows);
    EXPECT_EQ(answers[3].verdict, ChangeVerdict::slower);
    EXPECT_NEAR(*answers[3].interval_level, 1 - 0.01 / 10, 1e-12);
    EXPECT_NEAR(*answers[0].interval_level, 1 - 0.01 / 9, 1e-12);
}

TEST(RowComparison, InvalidRowsStayInvalid) {
    auto throttled = row(1.03);
    throttled.invalid = "throttled on the new side";
    EXPECT_EQ(compare(throttled).verdict, ChangeVerdict::invalid);
    EXPECT_EQ(compare(throttled).because, "throttled on the new side");
    for (const double wrong : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
        auto broken = row(1);
        broken.before[0].process_medians[0] = wrong;
        EXPECT_EQ(compare(broken).verdict, ChangeVerdict::invalid);
        EXPECT_FALSE(compare(broken).change);
    }
}

TEST(RowComparison, WithoutSpreadOnlyTheMarginCounts) {
    ComparedRow still;
    still.history.groups.push_back(starts(std::vector<double>(21, 2.0)));
    still.before = starts({2.0, 2.0, 2.0});
    still.after = starts({2.0, 2.0, 2.0});
    EXPECT_EQ(compare(still).verdict, ChangeVerdict::same);
    still.after = starts({2.1, 2.1, 2.1});
    EXPECT_EQ(compare(still).verdict, ChangeVerdict::slower);
    still.after = starts({2.001, 2.001, 2.001});
    EXPECT_EQ(compare(still).verdict, ChangeVerdict::same);
}

TEST(RowComparison, NoRowsGiveNoAnswers) { EXPECT_TRUE(compare_rows({}).empty()); }

// Returns a random row: sides of 0 to 8 starts with 0 to 7 processes, times of any size, with and without a spread.
ComparedRow any_row(RandomNumbers& random) {
    constexpr std::array sizes{1e-300, 1e-9, 1e-3, 1.0, 1e300};
    constexpr std::array spreads{0.0, 0.0, 1e-12, 0.001, 0.01, 0.3, 5.0};
    const double size = sizes[static_cast<std::size_t>(random.below(sizes.size()))];
    const double spread = spreads[static_cast<std::size_t>(random.below(spreads.size()))];
    const auto some = [&](std::uint64_t most, double factor) {
        std::vector<Start> result(static_cast<std::size_t>(random.below(most)));
        for (auto& start : result)
            for (auto processes = random.below(8); processes > 0; --processes)
                start.process_medians.push_back(
                    std::clamp(size * factor * std::exp(spread * random.normal()), 5e-324, 1.7e308));
        return result;
    };
    ComparedRow result;
    if (random.uniform() < 0.05) result.invalid = "throttled";
    result.before = some(8, 1);
    result.after = some(8, random.uniform() < 0.5 ? 1 : random.between(0.5, 2));
    for (auto groups = random.below(4); groups > 0; --groups) result.history.groups.push_back(some(30, 1));
    if (random.uniform() < 0.5) {
        for (auto& group : result.history.groups)
            for (auto& start : group) start.load = static_cast<std::uint32_t>(&start - group.data());
    } else if (random.uniform() < 0.5) {
        result.assumed_noise = spread;
    }
    return result;
}

bool is_finite(const RowChange& answer) {
    bool is = std::isfinite(answer.margin);
    for (const auto& value :
         {answer.change, answer.detectable, answer.interval_level, answer.chance_above, answer.not_excluded})
        is = is && (!value || std::isfinite(*value));
    return is && (!answer.interval || (std::isfinite(answer.interval->low) && std::isfinite(answer.interval->high)));
}

void expect_one_verdict(const ComparedRow& row, const RowChange& answer, const ComparisonRules& rules) {
    EXPECT_TRUE(is_finite(answer));
    const bool has_enough = answer.starts_before >= rules.starts_min && answer.starts_after >= rules.starts_min &&
                            answer.freedom >= rules.freedom_min;
    const bool changed = is_change(answer.verdict);
    EXPECT_EQ(answer.verdict == ChangeVerdict::invalid, !row.invalid.empty());
    const bool is_undecided = answer.verdict == ChangeVerdict::undecided;
    EXPECT_TRUE(has_enough || !row.invalid.empty() || is_undecided || is_likely(answer.verdict));
    if (is_likely(answer.verdict)) {
        EXPECT_LT(answer.start_noise.value().spread, answer.chance_above.value());
        EXPECT_GT(std::abs(*answer.change), answer.margin);
    }
    EXPECT_TRUE(is_undecided || !answer.not_excluded);
    EXPECT_FALSE((is_undecided || answer.verdict == ChangeVerdict::invalid) && answer.because.empty());
    if (changed) {
        EXPECT_GT(answer.verdict == ChangeVerdict::slower ? answer.interval->low : -answer.interval->high, 0);
        EXPECT_GT(std::abs(*answer.change), answer.margin);
        EXPECT_FALSE(answer.worth_a_look);
    }
    EXPECT_TRUE(answer.verdict != ChangeVerdict::same || std::abs(*answer.change) <= answer.margin);
    // By chance, some of these rows seem to drift.
    const bool is_withheld = answer.because.starts_with("starts next to each other in time are alike");
    EXPECT_EQ(answer.detectable.has_value(), has_enough && row.invalid.empty() && !is_withheld);
    const double not_shown = is_undecided && answer.change ? std::abs(*answer.change) : 0;
    EXPECT_TRUE(!answer.detectable || *answer.detectable >= std::max(not_shown, answer.margin * (1 - 1e-12)));
    if (answer.interval) {
        EXPECT_LE(answer.interval->low, *answer.change);
        EXPECT_GE(answer.interval->high, *answer.change);
        // An interval without 0 around a change above the margin is a change, or was shown to be the same.
        const bool excludes = answer.interval->low > 0 || answer.interval->high < 0;
        if (has_enough && excludes && std::abs(*answer.change) > answer.margin) {
            EXPECT_TRUE(changed || answer.verdict == ChangeVerdict::same);
        }
    }
}

TEST(RowComparison, ExactlyOneVerdictAppliesToRandomRows) {
    RandomNumbers random(7);
    std::array<int, change_words.size()> seen{};
    for (int turn = 0; turn < 400; ++turn) {
        std::vector<ComparedRow> rows;
        for (auto count = random.below(20); count > 0; --count) rows.push_back(any_row(random));
        const auto answers = compare_rows(rows);
        ASSERT_EQ(answers.size(), rows.size());
        for (std::size_t place = 0; place < rows.size(); ++place) {
            expect_one_verdict(rows[place], answers[place], {});
            ++seen[static_cast<std::size_t>(answers[place].verdict)];
        }
    }
    for (const int times : seen) EXPECT_GT(times, 10) << "the random rows do not reach every verdict";
}

TEST(RowComparison, OrderDoesNotChangeABit) {
    RandomNumbers random(8);
    for (int turn = 0; turn < 50; ++turn) {
        std::vector<ComparedRow> rows;
        for (int count = 0; count < 12; ++count) rows.push_back(any_row(random));
        rows.push_back(rows.front());
        auto turned = rows;
        std::reverse(turned.begin(), turned.end());
        for (auto& one : turned) {
            // A side twice as long as the other is ordered in time, as the history's groups are.
            if (one.before.size() < 2 * one.after.size()) std::reverse(one.before.begin(), one.before.end());
            if (one.after.size() < 2 * one.before.size()) std::reverse(one.after.begin(), one.after.end());
            std::reverse(one.history.groups.begin(), one.history.groups.end());
            for (auto* side : {&one.before, &one.after})
                for (auto& start : *side) std::reverse(start.process_medians.begin(), start.process_medians.end());
        }
        auto answers = compare_rows(turned);
        std::reverse(answers.begin(), answers.end());
        EXPECT_EQ(answers, compare_rows(rows));
    }
}

}  // namespace
}  // namespace tocuda
