// tocuda, Apache-2.0.
// How often a comparison of equal sides raises an alarm, and how often it finds a change that was made.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "comparison_rules/tests/made_up_noise.hpp"
#include "model/comparison.hpp"

namespace tocuda {

using Rule = std::function<std::vector<RowChange>(std::span<const ComparedRow>)>;

// Counts over rows whose new side was made slower by `change`.
struct FoundChanges {
    double change = 0;
    std::int64_t rows = 0;
    std::int64_t found = 0;
    std::int64_t promised = 0;  // rows whose `detectable` is not above the change
    std::int64_t promised_found = 0;

    bool operator==(const FoundChanges&) const = default;
};

struct Calibrated {
    std::int64_t comparisons = 0;
    std::int64_t alarmed_comparisons = 0;  // with any row that is slower or faster
    std::int64_t rows = 0;
    std::int64_t alarmed_rows = 0;
    std::int64_t same_rows = 0;
    std::int64_t undecided_rows = 0;
    std::array<FoundChanges, 3> found{{{0.01}, {0.02}, {0.05}}};

    void add(const Calibrated& other);

    // The goals: alarms in at most 1 % of comparisons and 1 of 1,000 rows; at least 90 % of the rows that promise to
    // show a change of 2 % show it.
    double alarms_at_most() const;    // upper end of the 95 % interval of the rate of comparisons with any alarm
    bool has_many_alarms() const;     // significantly more than the goal
    bool breaks_its_promise() const;  // significantly fewer than the goal
    bool holds() const;               // shown to reach all goals

    bool operator==(const Calibrated&) const = default;
};

// Applies the rule to equal sides, then with each size of change in a tenth of the rows.
Calibrated calibrate_one(std::vector<ComparedRow> equal, const Rule& rule, std::size_t turn);

// Treats both sides as paired rounds: the first processes of each side's only start are the first rounds, the rest the
// fresh ones.
std::vector<RowChange> compare_as_pairs(std::span<const ComparedRow> rows);

struct CalibrationPlan {
    int comparisons = 1000;
    std::uint64_t seed = 1;
    int threads = 1;  // does not affect the result
    MadeUpShape shape{};
    int paired_rounds = 0;  // above 0: this many paired rounds, and no history
};

// Counts the alarms and found changes for one kind of noise.
Calibrated calibrate(Noise noise, const CalibrationPlan& plan, const Rule& rule);

}  // namespace tocuda
