// tocuda, Apache-2.0.
// Holds the rows of a run against numbers that others published. Pure.
#pragma once

#include <vector>

#include "model/machine.hpp"
#include "model/published.hpp"
#include "model/summary.hpp"

namespace tocuda {

inline constexpr int published_sources_min = 3;  // fewer make no band
// Below a tenth under the lowest a row is called unusually low. A convention, as gpu-fryer has it, and no measured one.
inline constexpr double unusual_part = 0.1;

// Returns the real rows of which something is published, in their order; of several GPUs the slowest. Only what was
// measured by others, of the same benchmark, model, parameters, size and convention, makes a band.
std::vector<HeldRow> held_against(const Published& published, const RunLine& run, const std::vector<RowSummary>& rows);

}  // namespace tocuda
