// tocuda, Apache-2.0.
// Two builds on one machine in paired rounds: in each, a fresh process of either. Six rounds show what is the same; every row that they do not is
// measured in 14 fresh rounds, and those alone decide it: a row that stood out by chance does not stand out again.
#pragma once

#include <span>
#include <vector>

#include "model/comparison.hpp"

namespace tocuda {

struct Round {
    double before = 0;  // seconds: the medians of the two processes
    double after = 0;

    bool operator==(const Round&) const = default;
};

struct PairedRow {
    std::string invalid{};  // why nothing here can be compared, or empty
    std::vector<Round> first{};
    std::vector<Round> fresh{};

    bool operator==(const PairedRow&) const = default;
};

struct PairedRules {
    int first_rounds = 6;
    int fresh_rounds = 14;
};

// Which rows the first rounds do not show to be the same.
std::vector<bool> carried_on(std::span<const PairedRow> rows, const ComparisonRules& rules = {}, const PairedRules& rounds = {});

// One answer for each row, in their order; the family is that of the rows carried on. `processes_*` are rounds, `freedom` that of the differences
// between rounds. A row that has its fresh rounds still before it is undecided.
std::vector<RowChange> compare_pairs(std::span<const PairedRow> rows, const ComparisonRules& rules = {}, const PairedRules& rounds = {});

}  // namespace tocuda
