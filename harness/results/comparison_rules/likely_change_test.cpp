// tocuda, Apache-2.0.
// What is likely with one start a side, and how often that is wrong, on fleets of known truth.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "comparison_rules/row_comparison.hpp"
#include "comparison_rules/tests/made_up_fleet.hpp"
#include "comparison_rules/together.hpp"

namespace tocuda {
namespace {

using made_up::FleetNoise;
using made_up::FleetShape;
using made_up::Tails;

double nothing(int, int, int) { return 0; }
double three_percent(int, int, int gpu) { return 0.03 + 0.001 * gpu / 7; }

// A host's GPUs as one row, as comparison_input makes it of files.
ComparedRow of_host(const std::vector<ComparedRow>& gpus) {
    if (gpus.size() == 1) return gpus.front();
    auto row = together(gpus);
    std::vector<std::vector<Start>> histories;
    std::vector<double> levels;
    for (const auto& one : gpus)
        for (const auto& group : one.history.groups) {
            levels.push_back(level_of(group).value());
            histories.push_back(group);
        }
    if (!histories.empty()) row.history = {{together(histories, levels)}, "made up", 0, 1};
    return row;
}

std::vector<ComparedRow> first_host(const FleetShape& shape, const FleetNoise& noise, std::uint64_t seed,
                                    made_up::ChangeOf change = nothing) {
    std::vector<ComparedRow> rows;
    for (const auto& row : made_up::fleet(shape, noise, seed, change)) rows.push_back(of_host(row.front()));
    return rows;
}

std::size_t count(const std::vector<RowChange>& answers, ChangeVerdict verdict) {
    return static_cast<std::size_t>(
        std::ranges::count_if(answers, [=](const RowChange& one) { return one.verdict == verdict; }));
}

constexpr FleetShape eight_gpus{.rows = 40, .gpus = 8};

TEST(LikelyChange, OfEightGpusAndOneBootASideLeansWhereTheNoiseIsNotKnown) {
    const auto rows = first_host(eight_gpus, {.boot = 0.001}, 1, three_percent);
    const auto answers = compare_rows(rows);
    EXPECT_EQ(count(answers, ChangeVerdict::undecided), 40U);
    for (const auto& one : answers) {
        EXPECT_EQ(leaning(one), ChangeVerdict::slower);
        EXPECT_FALSE(one.start_noise || one.not_excluded);
        // 3 % is 3.56 times (of 40 rows at 1.5 %) the error of a difference of two starts.
        EXPECT_NEAR(one.chance_above.value(), 0.03 / 3.56 / std::sqrt(2.0), 0.0008);
        EXPECT_EQ(one.starts_before, 1);
        EXPECT_EQ(one.processes_before, 24);
    }
}

TEST(LikelyChange, IsAsSureAsTheNoiseThatIsAssumed) {
    auto rows = first_host(eight_gpus, {.boot = 0.001}, 1, three_percent);
    for (auto& row : rows) row.assumed_noise = 0.002;
    const auto little = compare_rows(rows);
    EXPECT_EQ(count(little, ChangeVerdict::likely_slower), 40U);
    EXPECT_EQ(little[0].start_noise, (StartNoise{0.002, 0, "assumed"}));
    EXPECT_FALSE(little[0].not_excluded);
    for (auto& row : rows) row.assumed_noise = 0.02;
    const auto much = compare_rows(rows);
    EXPECT_EQ(count(much, ChangeVerdict::undecided), 40U);
    EXPECT_NEAR(much[0].not_excluded.value(), std::expm1(std::log1p(0.03) + 3.56 * 0.02 * std::sqrt(2.0)), 0.005);
    EXPECT_EQ(much[0].chance_above, little[0].chance_above);
}

TEST(LikelyChange, IsNoWeakerByANoiseThatCannotBeAssumed) {
    auto shape = eight_gpus;
    shape.history = 12;
    auto rows = first_host(shape, {.boot = 0.001}, 3, three_percent);
    for (auto& row : rows) {
        for (auto* side : {&row.before, &row.after})
            for (auto& start : *side) start.process_medians.resize(1);
        row.process_noise.reset();
    }
    const auto recorded = compare_rows(rows);
    EXPECT_GE(count(recorded, ChangeVerdict::likely_slower), 38U);
    for (auto& row : rows) row.assumed_noise = 0.002;
    auto assumed = compare_rows(rows);
    EXPECT_TRUE(assumed[0].assumption_unused);
    for (auto& one : assumed) one.assumption_unused = false;
    EXPECT_EQ(assumed, recorded);
}

TEST(LikelyChange, TurnsToChanceJustAboveTheNoiseThatItNames) {
    auto rows = first_host(eight_gpus, {.boot = 0.001}, 2, three_percent);
    const auto above = compare_rows(rows)[7].chance_above.value();
    rows[7].assumed_noise = above * 0.999;
    EXPECT_EQ(compare_rows(rows)[7].verdict, ChangeVerdict::likely_slower);
    rows[7].assumed_noise = above * 1.001;
    EXPECT_EQ(compare_rows(rows)[7].verdict, ChangeVerdict::undecided);
}

TEST(LikelyChange, RestsOnTheHistoryOfTheseGpus) {
    auto shape = eight_gpus;
    shape.history = 12;
    const auto known = compare_rows(first_host(shape, {.boot = 0.001}, 3, three_percent));
    EXPECT_GE(count(known, ChangeVerdict::likely_slower), 38U) << "one row in a hundred seems to drift";
    EXPECT_EQ(known[0].start_noise->freedom, 11);
    EXPECT_EQ(known[0].start_noise->of, "recorded of these GPUs");
    auto two = first_host({.rows = 1, .gpus = 1, .history = 12}, {.boot = 0.001}, 3, three_percent).front();
    two.two_gpus = true;
    EXPECT_EQ(compare_rows(std::vector{two})[0].start_noise->of, "recorded of both GPUs");
    EXPECT_NEAR(known[0].start_noise->spread, 0.001, 0.0006);
    shape.history = 10;
    EXPECT_EQ(count(compare_rows(first_host(shape, {.boot = 0.001}, 3, three_percent)), ChangeVerdict::undecided), 40U)
        << "9 degrees of freedom";
}

TEST(LikelyChange, BorrowsFromThreeMachinesNotFromTwo) {
    auto row = first_host({.rows = 1}, {}, 4, three_percent).front();
    for (std::uint64_t machine = 0; machine < 3; ++machine)
        row.history.groups.push_back(first_host({.rows = 1, .history = 6}, {}, 5 + machine).front().history.groups[0]);
    row.history.borrowed = 3;
    row.history.machines = 2;
    EXPECT_EQ(compare_rows(std::vector{row})[0].verdict, ChangeVerdict::undecided);
    row.history.machines = 3;
    const auto answer = compare_rows(std::vector{row})[0];
    EXPECT_EQ(answer.verdict, ChangeVerdict::likely_slower);
    EXPECT_EQ(answer.start_noise->of, "recorded of 3 machines like this");
}

TEST(LikelyChange, TakesSessionsOfOneBootForOne) {
    auto row = first_host({.rows = 1, .history = 20}, {}, 6, three_percent).front();
    EXPECT_EQ(compare_rows(std::vector{row})[0].verdict, ChangeVerdict::likely_slower);
    for (auto& start : row.history.groups[0]) start.load /= 4;
    EXPECT_FALSE(compare_rows(std::vector{row})[0].start_noise) << "5 boots";
}

TEST(LikelyChange, IsNeverSureByTheGpusOfOneHost) {
    for (int boots = 1; boots <= 8; ++boots) {
        auto shape = eight_gpus;
        shape.boots = boots;
        auto rows = first_host(shape, {.boot = 0.001}, 7, three_percent);
        for (auto& row : rows) row.assumed_noise = 0.001;
        const auto answers = compare_rows(rows);
        EXPECT_EQ(count(answers, ChangeVerdict::likely_slower), 40U) << boots;
        EXPECT_EQ(answers[0].freedom, 2 * boots - 2);
    }
}

TEST(LikelyChange, NeedsTwoProcessesWhereTheNoiseIsAssumed) {
    auto rows = first_host({.rows = 1, .processes = 1}, {}, 8, three_percent);
    rows[0].assumed_noise = 0.0001;
    EXPECT_EQ(compare_rows(rows)[0].verdict, ChangeVerdict::undecided);
    EXPECT_FALSE(compare_rows(rows)[0].chance_above);
}

TEST(LikelyChange, OfAGpuMissingInAStartIsNoChangeOfTheOthers) {
    auto gpus =
        made_up::fleet({.rows = 1, .gpus = 3, .boots = 2}, {.boot = 0, .gpu = 0, .process = 0}, 9, nothing)[0][0];
    gpus[1].after.erase(gpus[1].after.begin());
    EXPECT_NEAR(compare_rows(std::vector{together(gpus)})[0].change.value(), 0, 1e-12);
    EXPECT_EQ(together(gpus).after.size(), 2U);
}

// How many of so many comparisons of equal sides call anything likely, or sure.
struct Alarms {
    int likely = 0;
    int sure = 0;
};

Alarms alarms_of(int comparisons, const FleetShape& shape, const FleetNoise& noise, std::uint64_t seed,
                 double assumed = 0) {
    Alarms alarms;
    for (int turn = 0; turn < comparisons; ++turn) {
        auto rows = first_host(shape, noise, seed * 1'000'000 + static_cast<std::uint64_t>(turn));
        for (auto& row : rows)
            if (assumed > 0) row.assumed_noise = assumed;
        const auto answers = compare_rows(rows);
        alarms.likely +=
            count(answers, ChangeVerdict::likely_slower) + count(answers, ChangeVerdict::likely_faster) > 0;
        alarms.sure += count(answers, ChangeVerdict::slower) + count(answers, ChangeVerdict::faster) > 0;
    }
    return alarms;
}

constexpr int comparisons = 400;
// Of 400 with a true rate of 2 %, more have a probability of 1 in 1,000.
constexpr int likely_at_most = 17;

struct NoiseCase {
    const char* name;
    FleetNoise noise;
};
constexpr NoiseCase as_recorded[]{{"calm", {.boot = 0.001}},
                                  {"typical", {.boot = 0.003, .process = 0.002}},
                                  {"rough", {.boot = 0.015, .process = 0.005}},
                                  {"drifting", {.boot = 0.003, .tails = Tails::drifting}},
                                  {"alike within a start", {.boot = 0.003, .alike = 0.9}}};

TEST(LikelyChange, IsSeldomWrongWhereTheNoiseIsAsRecorded) {
    for (const auto& [name, noise] : as_recorded) {
        const auto alarms = alarms_of(comparisons, {.rows = 20, .history = 11}, noise, 21);
        EXPECT_LE(alarms.likely, likely_at_most) << name;
        EXPECT_EQ(alarms.sure, 0) << name;
        RecordProperty(name, alarms.likely);
    }
}

TEST(LikelyChange, IsSeldomWrongWhereTheNoiseIsAsAssumed) {
    for (const auto& [name, noise] : as_recorded) {
        const auto alarms =
            alarms_of(comparisons, {.rows = 20, .gpus = 4}, noise, 22, std::hypot(noise.boot, noise.gpu));
        EXPECT_LE(alarms.likely, likely_at_most) << name;
        EXPECT_EQ(alarms.sure, 0) << name;
        RecordProperty(name, alarms.likely);
    }
}

}  // namespace
}  // namespace tocuda
