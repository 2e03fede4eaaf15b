// tocuda, Apache-2.0.
// Rows of all pairs of GPUs as a matrix: a line for each GPU that sends, a column for each that receives.
#pragma once

#include <string>
#include <vector>

#include "model/summary.hpp"
#include "terminal/paper.hpp"

namespace tocuda {

// A matrix for each benchmark and its other parameters, of bandwidth or, where nothing is moved, of time. Empty if
// fewer than three rows have the numbers of two GPUs as `from` and `to`.
std::string pair_matrices(const std::vector<RowSummary>& rows, const Paper& paper);

}  // namespace tocuda
