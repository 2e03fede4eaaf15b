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

// What drifts from start to start makes those next to each other in time alike. The sides of a comparison, one before
// the other, then differ without any change, and by more than the starts of either side show.

// Von Neumann's ratio, of all series together: the squares of successive differences, halved, over those about the
// means. Of independent values it is 1 on average, however many there are; below that, neighbours are alike.
struct Succession {
    double ratio = 1;
    double deviation = 0;  // of the ratio, where the values are independent and normal; 0: there is no ratio
};
Succession succession_of(std::span<const StartSeries> series);

// How often so small a sum of the rows' ratios is chance: if each machine's starts are put into another order, the same
// in all rows. 1 if that is no small part.
double chance_of_succession(std::span<const RowEstimate> estimates);

// Makes answers undecided that rest on starts which surely drift, in all rows or in theirs, unless the sides alternate.
void withhold_from_drift(std::span<const RowEstimate> estimates, std::vector<RowChange>& answers);

// What is likely where nothing is sure: one start a side says how large a change is, and how much starts vary without
// any change, known from elsewhere, says how easily it is chance.

// Turns undecided answers into likely ones where the noise of starts is known and too small to explain the change. Says
// of each row that changed which noise would explain it, and of those that stay undecided what is not excluded. The
// rate of false ones holds over all rows together, if the noise is as it is thought to be.
void add_likely(std::span<const RowEstimate> estimates, const ComparisonRules& rules, std::vector<RowChange>& answers);

}  // namespace tocuda
