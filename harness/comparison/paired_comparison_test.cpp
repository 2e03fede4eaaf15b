// tocuda, Apache-2.0.
// Pairs of rounds, generated and seeded: what is equal raises no alarm, what is slower is found, and only fresh rounds decide.
#include "comparison/paired_comparison.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace tocuda {
namespace {

constexpr int first_rounds = PairedRules{}.first_rounds;
constexpr int fresh_rounds = PairedRules{}.fresh_rounds;

bool settled_by_first(const PairedRow& row) { return !carried_on({&row, 1}).front(); }

class Rounds {
public:
    explicit Rounds(std::uint64_t seed) : random(seed) {}

    // Both processes of a round share its `drift`; `spread` is each one's own.
    std::vector<Round> pairs(int count, double change, double spread = 0.002, double drift = 0.05) {
        std::normal_distribution<double> normal;
        std::vector<Round> made;
        for (int i = 0; i < count; ++i) {
            const double shared = 1e-3 * std::exp(drift * normal(random));
            made.push_back({shared * std::exp(spread * normal(random)), shared * (1 + change) * std::exp(spread * normal(random))});
        }
        return made;
    }
    PairedRow row(double change, double spread = 0.002) {
        PairedRow made{{}, pairs(first_rounds, change, spread), {}};
        if (!settled_by_first(made)) made.fresh = pairs(fresh_rounds, change, spread);
        return made;
    }

private:
    std::mt19937_64 random;
};

RowChange only(const PairedRow& row) { return compare_pairs(std::vector{row}).at(0); }

TEST(PairedComparison, WhatTheProcessesOfARoundShareIsNoChange) {
    const PairedRow row{{}, Rounds(1).pairs(first_rounds, 0, 0, 0.2), {}};
    EXPECT_TRUE(settled_by_first(row));
    EXPECT_EQ(only(row).verdict, ChangeVerdict::same);
}

TEST(PairedComparison, ThreePercentAreFoundOnBothSides) {
    const auto slower = only(Rounds(2).row(0.03));
    EXPECT_EQ(slower.verdict, ChangeVerdict::slower);
    EXPECT_NEAR(*slower.change, 0.03, 0.005);
    EXPECT_LE(slower.interval->low, 0.03);
    EXPECT_GE(slower.interval->high, 0.03);
    EXPECT_EQ(slower.processes_after, fresh_rounds);
    EXPECT_EQ(only(Rounds(3).row(-0.03)).verdict, ChangeVerdict::faster);
}

TEST(PairedComparison, TheFirstRoundsAloneRaiseNoAlarm) {
    const PairedRow row{{}, Rounds(4).pairs(first_rounds, 0.1), {}};
    EXPECT_FALSE(settled_by_first(row));
    EXPECT_EQ(only(row).verdict, ChangeVerdict::undecided);
}

TEST(PairedComparison, FreshRoundsAreJudgedAlone) {
    const PairedRow row{{}, Rounds(5).pairs(first_rounds, 0.1), Rounds(6).pairs(fresh_rounds, 0, 0.001)};
    EXPECT_EQ(only(row).verdict, ChangeVerdict::same);
}

TEST(PairedComparison, WhatIsInvalidIsNotMeasuredAgain) {
    PairedRow row{"a wrong result", Rounds(7).pairs(first_rounds, 0.1), {}};
    EXPECT_TRUE(settled_by_first(row));
    EXPECT_EQ(only(row).verdict, ChangeVerdict::invalid);
    EXPECT_EQ(only(row).because, "a wrong result");
}

TEST(PairedComparison, WithTooFewRoundsNothingIsSaid) {
    const auto change = only({{}, Rounds(8).pairs(2, 0.1), Rounds(9).pairs(2, 0.1)});
    EXPECT_EQ(change.verdict, ChangeVerdict::undecided);
    EXPECT_NE(change.because, "");
}

TEST(PairedComparison, NoiseIsUndecidedAndSaysWhatItCouldHaveShown) {
    const auto change = only(Rounds(10).row(0.01, 0.1));
    EXPECT_EQ(change.verdict, ChangeVerdict::undecided);
    EXPECT_GT(*change.detectable, 0.05);
    EXPECT_NE(change.because, "");
}

TEST(PairedComparison, TheOrderOfRoundsChangesNoBit) {
    auto row = Rounds(11).row(0.01);
    const auto change = only(row);
    std::reverse(row.first.begin(), row.first.end());
    std::reverse(row.fresh.begin(), row.fresh.end());
    EXPECT_EQ(only(row), change);
}

// Whole comparisons of 50 equal rows, generated: any alarm in at most one of a hundred.
TEST(PairedComparison, EqualBuildsRaiseHardlyAnyAlarm) {
    constexpr int repetitions = 300;
    int alarms = 0;
    for (std::uint64_t repetition = 0; repetition < repetitions; ++repetition) {
        Rounds rounds(100 + repetition);
        std::vector<PairedRow> rows;
        for (int row = 0; row < 50; ++row) rows.push_back(rounds.row(0, 0.005));
        const auto changes = compare_pairs(rows);
        alarms += std::any_of(changes.begin(), changes.end(), [](const RowChange& change) {
            return change.verdict == ChangeVerdict::slower || change.verdict == ChangeVerdict::faster;
        }) ? 1 : 0;
    }
    EXPECT_LE(alarms, 8) << "of 300; one in a hundred would be 3, and 8 is three standard deviations more";
}

TEST(PairedComparison, TwoPercentAreFoundInNineOfTenRowsThatCouldShowThem) {
    int could = 0;
    int found = 0;
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        const auto change = only(Rounds(1000 + seed).row(0.02, 0.004));
        if (!change.detectable || *change.detectable > 0.02) continue;
        ++could;
        found += change.verdict == ChangeVerdict::slower ? 1 : 0;
    }
    ASSERT_GT(could, 100);
    EXPECT_GE(found, 9 * could / 10);
}

}  // namespace
}  // namespace tocuda
