// tocuda, Apache-2.0.
// Rows of all pairs of GPUs as a matrix: a line for each GPU that sends, a column for each that receives.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "model/summary.hpp"
#include "terminal/paper.hpp"

namespace tocuda {

// The rows of one benchmark that differ only in `from` and `to`, both numbers.
struct PairMatrix {
    std::string name{};  // with the other parameters and the unit: "FOLDER/NAME by=push 64 MiB, GB/s"
    std::map<std::pair<std::int64_t, std::int64_t>, const RowSummary*> cells{};

    std::vector<std::string> numbers() const;  // that name the lines and the columns
    // A line for each that sends, a cell for each that receives: the rate or, where nothing is moved, the time; the
    // status of one without a value; "-" where there is no row.
    std::vector<std::vector<std::string>> lines() const;
    // "Slowest: 2 to 1, 24.93 GB/s; the fastest has 427.3 GB/s." or "All alike: 427.3 GB/s."
    std::string extremes() const;
    // "No valid value: 2 to 1 (wrong)."; empty if all have one.
    std::string broken() const;
};

// One for each benchmark and its other parameters, without skipped rows.
std::vector<PairMatrix> pair_matrices(const std::vector<const RowSummary*>& rows);

// Those of more than two rows, for the terminal. Empty if there is none.
std::string pair_matrices_text(const std::vector<RowSummary>& rows, const Paper& paper);

}  // namespace tocuda
