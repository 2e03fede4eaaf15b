// tocuda, Apache-2.0.
// Many hosts are many witnesses: each is compared with itself, and how much their changes differ is the noise. Nothing
// is assumed, and nothing else is needed.
#pragma once

#include <span>
#include <vector>

#include "comparison_rules/row_estimate.hpp"

namespace tocuda {

// The row as all its `hosts` changed: the mean of their changes, or of those of their blocks. Where enough hosts kept
// the driver that those do not have now, what changed on them, too, is subtracted: the rest is the driver's.
RowEstimate estimate_of_hosts(const ComparedRow& row, const ComparisonRules& rules);

// Adds to the answers the hosts whose changes, over all their rows, surely differ from those of all others, in the rows
// where they do. The rate of false ones holds over all hosts together.
void find_unlike(std::span<const RowEstimate> estimates, const ComparisonRules& rules, std::vector<RowChange>& answers);

// Sets aside hosts, and of those that kept their driver, a quarter at most, that stand out by the median of how far
// they are from the others in each row, where that is more than the margin: noise of single rows does not do that, but
// a bad boot may.
void set_outstanding_aside(std::vector<RowEstimate>& estimates, const ComparisonRules& rules);

// Finds where the hosts of an answer fall into two groups, each of more than a quarter of them: some changed, the
// others did not, or starts have two levels. This describes a row, and makes no verdict.
void find_groups(std::vector<RowChange>& answers);

// As find_unlike, of the GPUs of a host that has at least four: of a host's median one GPU is no part.
void find_unlike_gpus(std::span<const RowEstimate> estimates, const ComparisonRules& rules,
                      std::vector<RowChange>& answers);

}  // namespace tocuda
