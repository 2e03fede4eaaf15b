// tocuda, Apache-2.0.
// Decides whether rows changed from the old starts to the new ones. Pure, and bit for bit independent of the order of
// rows, processes and history groups. README.md here explains the rules.
#pragma once

#include <span>
#include <vector>

#include "comparison_rules/row_estimate.hpp"
#include "model/comparison.hpp"

namespace tocuda {

// Returns one answer for each row, in the same order. The rate of false alarms holds over all of them together.
std::vector<RowChange> compare_rows(std::span<const ComparedRow> rows, const ComparisonRules& rules = {});

// The same for estimates, if the rows themselves are not kept.
std::vector<RowChange> compare_estimates(std::vector<RowEstimate> estimates, const ComparisonRules& rules = {});

}  // namespace tocuda
