// tocuda, Apache-2.0.
// What drifts from start to start makes those next to each other in time alike. The sides of a comparison, one before
// the other, then differ without any change, and by more than the starts of either side show.
#pragma once

#include <span>
#include <vector>

#include "comparison_rules/row_estimate.hpp"

namespace tocuda {

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

}  // namespace tocuda
