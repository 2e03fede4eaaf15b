// tocuda, Apache-2.0.
// What the six first and the fourteen fresh rounds can decide.
#include "comparison_rules/paired_comparison.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "comparison_rules/tests/calibration.hpp"

namespace tocuda {
namespace {

std::vector<Round> rounds(int count, double change, double spread = 0.002) {
    std::vector<Round> result;
    for (int i = 0; i < count; ++i) result.push_back({1e-3, 1e-3 * (1 + change) * (1 + spread * std::sin(2.4 * i))});
    return result;
}

RowChange compare(const PairedRow& row) { return compare_pairs(std::vector{row}).front(); }

TEST(PairedComparison, SixRoundsAreEnoughIfTheyShowTheSame) {
    const PairedRow row{.first = rounds(6, 0)};
    EXPECT_FALSE(carried_on(std::vector{row})[0]);
    EXPECT_EQ(compare(row).verdict, ChangeVerdict::same);
    EXPECT_EQ(compare(row).processes_after, 6);
}

TEST(PairedComparison, FreshRoundsAloneDecideTheOthers) {
    PairedRow row{.first = rounds(6, 0.03)};
    EXPECT_TRUE(carried_on(std::vector{row})[0]);
    EXPECT_EQ(compare(row).verdict, ChangeVerdict::undecided);
    EXPECT_EQ(compare(row).because, "the first rounds do not show that it is the same, and there are no fresh rounds");
    row.fresh = rounds(14, 0);
    EXPECT_EQ(compare(row).verdict, ChangeVerdict::same);
    row.fresh = rounds(14, 0.03);
    EXPECT_EQ(compare(row).verdict, ChangeVerdict::slower);
    EXPECT_GT(compare(row).interval->low, 0);
    EXPECT_NEAR(*compare(row).change, 0.03, 0.002);
    row.fresh = rounds(14, -0.03);
    EXPECT_EQ(compare(row).verdict, ChangeVerdict::faster);
    row.fresh = rounds(14, 0.03, 0.2);
    EXPECT_EQ(compare(row).because, "rounds vary too much to tell");
}

TEST(PairedComparison, TooFewRoundsDecideNothing) {
    EXPECT_EQ(compare({.first = rounds(5, 0)}).because, "5 of 6 rounds");
    EXPECT_EQ(compare({.first = rounds(5, 0)}).verdict, ChangeVerdict::undecided);
    EXPECT_EQ(compare({.first = rounds(6, 0.03), .fresh = rounds(13, 0.03)}).because, "13 of 14 fresh rounds");
    EXPECT_FALSE(compare({}).change);
}

TEST(PairedComparison, OneBadProcessHidesNoChange) {
    PairedRow row{.first = rounds(6, 0.03), .fresh = rounds(14, 0.03)};
    row.fresh[4].after *= 2;
    EXPECT_EQ(compare(row).verdict, ChangeVerdict::slower);
}

TEST(PairedComparison, OnlyRowsCarriedOnAreTheFamily) {
    std::vector<PairedRow> rows(99, PairedRow{.first = rounds(6, 0)});
    rows.push_back({.first = rounds(6, 0.03), .fresh = rounds(14, 0.03)});
    EXPECT_NEAR(*compare_pairs(rows).back().interval_level, 0.99, 1e-12);
    for (auto& row : rows) row = rows.back();
    EXPECT_NEAR(*compare_pairs(rows).back().interval_level, 1 - 0.0001, 1e-12);
}

TEST(PairedComparison, InvalidRowsStayInvalid) {
    EXPECT_EQ(compare({.invalid = "throttled", .first = rounds(6, 0)}).verdict, ChangeVerdict::invalid);
    PairedRow broken{.first = rounds(6, 0)};
    broken.first[2].after = std::nan("");
    EXPECT_EQ(compare(broken).verdict, ChangeVerdict::invalid);
    EXPECT_EQ(compare(broken).because, "a time is not positive and finite");
    EXPECT_TRUE(compare_pairs({}).empty());
}

TEST(PairedComparison, EqualBuildsRaiseFewAlarmsAndPromisedChangesAreFound) {
    const CalibrationPlan plan{.comparisons = 40, .seed = 5, .shape = {.rows = 20, .launches = 3}, .paired_rounds = 20};
    for (std::size_t kind = 0; kind < noise_words.size(); ++kind) {
        const auto result = calibrate(static_cast<Noise>(kind), plan, compare_as_pairs);
        EXPECT_LE(result.alarmed_comparisons, 4) << noise_words[kind].name;
        for (const auto& size : result.found)
            EXPECT_GE(static_cast<double>(size.promised_found), 0.7 * static_cast<double>(size.promised) - 3);
        EXPECT_GT(result.found[2].found, 0) << noise_words[kind].name;
    }
}

}  // namespace
}  // namespace tocuda
