// tocuda, Apache-2.0.
// Reads what simulated GPUs counted in each process of a command.
#pragma once

#include <filesystem>

#include "model/simulation_counts.hpp"

namespace tocuda {

// Of all files in the folder, for so many GPUs.
SimulationCounts counts_in(const std::filesystem::path& folder, std::size_t gpus);

}  // namespace tocuda
