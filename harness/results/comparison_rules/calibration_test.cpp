// tocuda, Apache-2.0.
// A small calibration: our rule keeps its promise, a naive one fails, and the number of threads does not matter.
#include "comparison_rules/tests/calibration.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "comparison_rules/row_comparison.hpp"

namespace tocuda {
namespace {

std::vector<RowChange> our_rule(std::span<const ComparedRow> rows) { return compare_rows(rows); }

// What many people do: compare the means of all processes and call more than 1 % a change.
std::vector<RowChange> naive_rule(std::span<const ComparedRow> rows) {
    const auto mean = [](const std::vector<Start>& side) {
        double sum = 0;
        int count = 0;
        for (const auto& start : side)
            for (const double seconds : start.process_medians) sum += seconds, ++count;
        return sum / count;
    };
    std::vector<RowChange> answers(rows.size());
    for (std::size_t place = 0; place < rows.size(); ++place) {
        const double change = mean(rows[place].after) / mean(rows[place].before) - 1;
        if (std::abs(change) > 0.01)
            answers[place].verdict = change > 0 ? ChangeVerdict::slower : ChangeVerdict::faster;
        answers[place].detectable = 0.01;
    }
    return answers;
}

constexpr CalibrationPlan small{.comparisons = 40, .seed = 11, .shape = {.rows = 20, .launches = 3}};

TEST(Calibration, EqualSidesRaiseFewAlarmsAndPromisedChangesAreFound) {
    for (std::size_t kind = 0; kind < noise_words.size(); ++kind) {
        const auto result = calibrate(static_cast<Noise>(kind), small, our_rule);
        EXPECT_EQ(result.comparisons, 40);
        EXPECT_EQ(result.rows, 800);
        EXPECT_EQ(result.same_rows + result.undecided_rows + result.alarmed_rows, result.rows);
        // Of 40 at 1 %, more than 4 have a probability below 1 in 100,000.
        EXPECT_LE(result.alarmed_comparisons, 4) << noise_words[kind].name;
        for (const auto& size : result.found)
            EXPECT_GE(static_cast<double>(size.promised_found), 0.7 * static_cast<double>(size.promised) - 3);
        EXPECT_GT(result.found[2].found, 0) << noise_words[kind].name;
    }
}

// With many starts on each side, which of two levels the median is at is still chance.
TEST(Calibration, ManyStartsOfTwoLevelsRaiseFewAlarms) {
    constexpr CalibrationPlan many{.comparisons = 40, .seed = 12, .shape = {.rows = 10, .starts = 21, .freedom = 60}};
    const auto modes = calibrate(Noise::two_modes_of_starts, many, our_rule);
    EXPECT_LE(modes.alarmed_comparisons, 4);
    const auto calm = calibrate(Noise::calm, many, our_rule);
    EXPECT_GT(calm.found[1].found, 36);
}

TEST(Calibration, NaiveRuleFails) {
    const auto modes = calibrate(Noise::two_modes_of_starts, small, naive_rule);
    EXPECT_GT(modes.alarmed_comparisons, 35);
    const auto bad = calibrate(Noise::bad_process, small, naive_rule);
    EXPECT_GT(bad.alarmed_comparisons, 35);
    EXPECT_LT(static_cast<double>(bad.found[0].promised_found), 0.9 * static_cast<double>(bad.found[0].promised));
}

TEST(Calibration, ChangesATenthOfTheRowsAndFindsThem) {
    const auto calm = calibrate(Noise::calm, small, our_rule);
    EXPECT_EQ(calm.found[1].rows, 80);
    EXPECT_GT(calm.found[1].found, 72);
    EXPECT_GT(calm.found[2].found, 77);
}

TEST(Calibration, IsIndependentOfThreads) {
    auto plan = small;
    const auto alone = calibrate(Noise::heavy_tails, plan, naive_rule);
    plan.threads = 3;
    EXPECT_EQ(calibrate(Noise::heavy_tails, plan, naive_rule), alone);
    plan.seed = 12;
    EXPECT_NE(calibrate(Noise::heavy_tails, plan, naive_rule), alone);
}

TEST(Calibration, UndecidedRowsAreNoAlarms) {
    const auto result = calibrate_one(std::vector<ComparedRow>(3), our_rule, 0);
    EXPECT_EQ(result.comparisons, 1);
    EXPECT_EQ(result.undecided_rows, 3);
    EXPECT_EQ(result.alarmed_rows, 0);
}

Calibrated some_counts(std::int64_t alarmed) {
    Calibrated counted{.comparisons = 1000, .alarmed_comparisons = alarmed, .rows = 50000, .alarmed_rows = alarmed};
    counted.found[1] = {0.02, 5000, 4000, 3000, 2900};
    return counted;
}

TEST(Calibration, HoldsBelowOnePercentAndFailsAboveByTheWholeInterval) {
    EXPECT_NEAR(some_counts(0).alarms_at_most(), 0.003682, 1e-6);  // 1 - 0.025^(1/1000)
    EXPECT_NEAR(some_counts(4).alarms_at_most(), 0.01021, 1e-5);
    EXPECT_TRUE(some_counts(3).holds());
    EXPECT_FALSE(some_counts(4).holds() || some_counts(4).has_many_alarms());
    EXPECT_FALSE(some_counts(16).has_many_alarms());
    EXPECT_TRUE(some_counts(18).has_many_alarms());
    auto counted = some_counts(0);
    counted.alarmed_rows = 51;
    EXPECT_FALSE(counted.holds() || counted.has_many_alarms());
    counted.alarmed_rows = 80;
    EXPECT_TRUE(counted.has_many_alarms());
}

TEST(Calibration, PromisedChangesMustBeFoundNineTimesInTen) {
    auto counted = some_counts(0);
    EXPECT_TRUE(counted.holds());
    counted.found[1].promised_found = 2699;
    EXPECT_FALSE(counted.holds() || counted.breaks_its_promise());
    counted.found[1].promised_found = 2600;
    EXPECT_TRUE(counted.breaks_its_promise());
}

TEST(MadeUpNoise, HasTheRequestedShapeAndIsReproducible) {
    for (std::size_t kind = 0; kind < noise_words.size(); ++kind) {
        const MadeUpShape shape{.rows = 3, .starts = 4, .processes = 5, .freedom = 26};
        const auto rows = made_up_comparison(static_cast<Noise>(kind), shape, RandomNumbers(3, 4));
        ASSERT_EQ(rows.size(), 3U);
        for (const auto& answer : compare_rows(rows)) {
            EXPECT_EQ(answer.freedom, 26);
            EXPECT_EQ(answer.starts_after, 4);
            EXPECT_EQ(answer.processes_before, 20);
        }
        EXPECT_EQ(made_up_comparison(static_cast<Noise>(kind), shape, RandomNumbers(3, 4)), rows);
    }
}

}  // namespace
}  // namespace tocuda
