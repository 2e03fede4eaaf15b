// tocuda, Apache-2.0.
// Inside and outside, on times whose intervals can be worked out by hand.
#include "comparison/prediction.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace tocuda {
namespace {

constexpr double millisecond = 1e-3;

std::vector<double> times(double centre, double spread, int count, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal(0, spread);
    std::vector<double> values;
    for (int i = 0; i < count; ++i) values.push_back(centre * std::exp(normal(random)));
    return values;
}

RepeatedRow row_of(const std::vector<std::vector<double>>& sessions, const std::vector<double>& now) {
    RepeatedRow row;
    for (const auto& session : sessions) row.old_starts.push_back({"", session});
    row.new_processes = now;
    return row;
}

RowRepetition only(const RepeatedRow& row) { return judge_repetition(std::vector{row}).at(0); }
RowRepetition only(const std::vector<std::vector<double>>& sessions, const std::vector<double>& now) { return only(row_of(sessions, now)); }
bool is_inside(const RowRepetition& row) { return row.verdict == Repeated::inside; }

TEST(Prediction, EqualTimesAreInsideAndTheIntervalIsTheMargin) {
    const auto one = only({std::vector(6, millisecond)}, std::vector(6, millisecond));
    EXPECT_TRUE(is_inside(one)) << one.because;
    EXPECT_NEAR(one.interval->high, 0.005, 1e-9);
    EXPECT_NEAR(one.interval->low, -0.005, 1e-9);
}

TEST(Prediction, WithoutAnySpreadTheMarginDecides) {
    EXPECT_TRUE(is_inside(only({std::vector(6, millisecond)}, std::vector(6, 1.0049 * millisecond))));
    EXPECT_FALSE(is_inside(only({std::vector(6, millisecond)}, std::vector(6, 1.0051 * millisecond))));
    EXPECT_FALSE(is_inside(only({std::vector(6, millisecond)}, std::vector(6, 0.99 * millisecond))));
}

TEST(Prediction, ANewTimeIsOutsideExactlyWhereItsIntervalSaysSo) {
    const auto before = times(millisecond, 0.004, 6, 1);
    for (double change = 0.95; change < 1.05; change += 0.001) {
        const auto one = only({before}, std::vector(6, change * millisecond));
        EXPECT_EQ(is_inside(one), *one.change >= one.interval->low && *one.change <= one.interval->high) << change;
    }
}

TEST(Prediction, ManySessionsAreJudgedByHowSessionsVary) {
    std::vector<std::vector<double>> sessions;
    for (std::uint64_t session = 0; session < 8; ++session) sessions.push_back(times(millisecond * (1 + 0.01 * (session % 2 == 0 ? 1 : -1)), 0.0001, 6, session));
    const auto now = times(1.02 * millisecond, 0.0001, 6, 9);
    EXPECT_TRUE(is_inside(only(sessions, now))) << "sessions of one percent either side make two percent nothing";
    EXPECT_TRUE(only(sessions, now).knows_starts);
    sessions.resize(1);
    EXPECT_FALSE(is_inside(only(sessions, now))) << "a single one promises what its processes promise";
    EXPECT_NE(only(sessions, now).because, "") << "and that is said";
}

TEST(Prediction, NothingIsExpectedOfASingleProcess) {
    const auto one = only({{millisecond}}, {millisecond});
    EXPECT_FALSE(one.interval);
    EXPECT_EQ(one.verdict, Repeated::unknown);
    EXPECT_NE(one.because, "");
}

TEST(Prediction, NoProcessOnEitherSideIsSaid) {
    EXPECT_NE(only({}, {millisecond}).because, "");
    EXPECT_NE(only({std::vector(6, millisecond)}, {}).because, "");
}

// The chance that any of 20 rows lies outside where nothing has changed: at most one in twenty. Generated, and seeded.
TEST(Prediction, HoldsItsLevelOverAFamilyOfRows) {
    constexpr int repetitions = 400;
    int alarms = 0;
    for (std::uint64_t repetition = 0; repetition < repetitions; ++repetition) {
        std::vector<RepeatedRow> rows;
        for (std::uint64_t row = 0; row < 20; ++row)
            rows.push_back(row_of({times(millisecond, 0.01, 6, 1000 * repetition + row)}, times(millisecond, 0.01, 6, 1'000'000 + 1000 * repetition + row)));
        bool any = false;
        for (const auto& one : judge_repetition(rows)) any = any || !is_inside(one);
        alarms += any ? 1 : 0;
    }
    EXPECT_LT(alarms, 33) << "of 400; one in twenty would be 20, and 33 is three standard deviations more";
}

TEST(Prediction, FindsTwoPercentWhereProcessesVaryByAFifthOfOne) {
    EXPECT_FALSE(is_inside(only({times(millisecond, 0.002, 6, 3)}, times(1.02 * millisecond, 0.002, 6, 4))));
}

}  // namespace
}  // namespace tocuda
