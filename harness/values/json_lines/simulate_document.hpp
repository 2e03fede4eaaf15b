// tocuda, Apache-2.0.
// The JSON document of `simulate`.
#pragma once

#include <string>

#include "model/simulation_counts.hpp"

namespace tocuda {

std::string simulate_document(const SimulationCounts& counts);

}  // namespace tocuda
