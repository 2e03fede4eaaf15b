// tocuda, Apache-2.0.
// Does a measurement repeat? What a new session of the same should show, and whether it did. A prediction interval is wider than a confidence
// interval of the old value: the new session has an error of its own.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/comparison.hpp"

namespace tocuda {

enum class Repeated { inside, outside, unknown };

struct RepeatedRow {
    std::string invalid{};                // why nothing can be said, or empty
    std::vector<Start> old_starts{};      // often one session
    History history{};                    // may be empty
    std::vector<double> new_processes{};  // seconds: the medians of the new session's processes

    bool operator==(const RepeatedRow&) const = default;
};

struct RepetitionRules {
    double level = 0.05;    // how often a whole repetition that is sound may have any row outside (Holm)
    double margin = 0.005;  // what is nearer than this is inside
};

struct RowRepetition {
    Repeated verdict = Repeated::unknown;
    std::optional<double> change{};          // new / old - 1 of time
    std::optional<Range> interval{};         // where the change is expected, adjusted for the family of rows
    std::optional<double> interval_level{};
    double margin = 0;
    bool knows_starts = false;               // how sessions vary is known, and part of the interval
    std::string because{};                   // where it is unknown; and what is not known though it is inside or outside

    bool operator==(const RowRepetition&) const = default;
};

// One answer for each row, in their order; the family is all of them.
std::vector<RowRepetition> judge_repetition(std::span<const RepeatedRow> rows, const RepetitionRules& rules = {});

}  // namespace tocuda
