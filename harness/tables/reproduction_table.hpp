// tocuda, Apache-2.0.
// What `reproduce` prints: the recorded values, those found now, and the interval in which these were expected.
#pragma once

#include <string>

#include "model/reproduction.hpp"
#include "terminal/paper.hpp"

namespace tocuda {

std::string reproduction_table(const Reproduction& reproduction, const Paper& paper);

// "12 rows: 11 inside, 1 outside, 0 skipped"
std::string reproduction_totals(const Reproduction& reproduction);

}  // namespace tocuda
