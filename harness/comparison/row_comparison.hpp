// tocuda, Apache-2.0.
// Did a row change from the old starts to the new ones? Pure, and the same to the last bit whatever the order of rows, of processes, and of history's
// groups. How it decides and why: README.md of this room.
#pragma once

#include <span>
#include <vector>

#include "comparison/row_estimate.hpp"
#include "model/comparison.hpp"

namespace tocuda {

// One answer for each row, in their order. The family, over which the rate of false alarms is held, is all of them.
std::vector<RowChange> compare_rows(std::span<const ComparedRow> rows, const ComparisonRules& rules = {});

// The same, where the rows are not kept.
std::vector<RowChange> compare_estimates(std::span<const RowEstimate> estimates, const ComparisonRules& rules = {});

}  // namespace tocuda
