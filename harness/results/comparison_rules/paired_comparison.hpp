// tocuda, Apache-2.0.
// Compares two builds on one machine in paired rounds, each with a fresh process of either build. Six rounds identify
// the rows that are the same; every other row is measured in 14 fresh rounds, which alone decide it, because a row that
// stood out by chance is unlikely to do so again.
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
    std::string invalid{};  // why nothing can be compared; empty otherwise
    std::vector<Round> first{};
    std::vector<Round> fresh{};

    bool operator==(const PairedRow&) const = default;
};

struct PairedRules {
    int first_rounds = 6;
    int fresh_rounds = 14;
};

// Returns for each row whether the first rounds fail to show that it is the same.
std::vector<bool> carried_on(std::span<const PairedRow> rows, const ComparisonRules& rules = {},
                             const PairedRules& rounds = {});

// Returns one answer for each row, in the same order; the family is the rows carried on. `processes_*` count rounds,
// and `freedom` is that of the differences between rounds. A row still without its fresh rounds is undecided.
std::vector<RowChange> compare_pairs(std::span<const PairedRow> rows, const ComparisonRules& rules = {},
                                     const PairedRules& rounds = {});

}  // namespace tocuda
