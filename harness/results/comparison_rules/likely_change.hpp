// tocuda, Apache-2.0.
// What is likely where nothing is sure: one start a side says how large a change is, and how much starts vary without
// any change, known from elsewhere, says how easily it is chance.
#pragma once

#include <span>
#include <vector>

#include "comparison_rules/row_estimate.hpp"

namespace tocuda {

// Turns undecided answers into likely ones where the noise of starts is known and too small to explain the change. Says
// of each row that changed which noise would explain it, and of those that stay undecided what is not excluded. The
// rate of false ones holds over all rows together, if the noise is as it is thought to be.
void add_likely(std::span<const RowEstimate> estimates, const ComparisonRules& rules, std::vector<RowChange>& answers);

}  // namespace tocuda
