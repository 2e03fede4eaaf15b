// tocuda, Apache-2.0.
// Does a measurement repeat? Predicts what a new session under the same conditions should show, and checks whether it
// did. A prediction interval is wider than a confidence interval of the old value, because the new session has its own
// error.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/comparison.hpp"

namespace tocuda {

enum class Repeated { inside, outside, unknown };

struct RepeatedRow {
    std::string invalid{};                // why there is no answer; empty otherwise
    std::vector<Start> old_starts{};      // often one session
    History history{};                    // may be empty
    std::vector<double> new_processes{};  // seconds: process medians of the new session

    bool operator==(const RepeatedRow&) const = default;
};

struct RepetitionRules {
    double level = 0.05;    // how often a sound repetition may have any row outside (Holm)
    double margin = 0.005;  // smaller changes are always inside
};

struct RowRepetition {
    Repeated verdict = Repeated::unknown;
    std::optional<double> change{};   // new / old - 1 of time
    std::optional<Range> interval{};  // where the change is expected, adjusted for the family of rows
    std::optional<double> interval_level{};
    double margin = 0;
    bool knows_starts = false;  // the interval includes the known variance between sessions
    std::string because{};      // why the verdict is unknown, or what it does not consider

    bool operator==(const RowRepetition&) const = default;
};

// Returns one answer for each row, in the same order; the family is all of them.
std::vector<RowRepetition> judge_repetition(std::span<const RepeatedRow> rows, const RepetitionRules& rules = {});

}  // namespace tocuda
