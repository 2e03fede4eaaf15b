// tocuda, Apache-2.0.
// Comparisons of equal sides, cut from a recorded history: what is found in them is a false alarm. Pure.
#pragma once

#include <vector>

#include "gathering/gathering.hpp"
#include "model/comparison.hpp"

namespace tocuda {

// Of each GPU's starts under equal conditions, in the order of time: every three against the next three, with all others as the history.
std::vector<std::vector<ComparedRow>> equal_sides(const RowNames& names, const std::vector<GatheredSection>& sections);

}  // namespace tocuda
