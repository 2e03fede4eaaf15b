// tocuda, Apache-2.0.
// Converts a simulation to the file that the simulator reads (TOCUDA_SIMULATION) and to fields of the run line.
#pragma once

#include <filesystem>

#include "model/machine.hpp"
#include "model/problem.hpp"
#include "model/profile.hpp"

namespace tocuda {

// Writes the machine to a file in `folder` whose name depends on the content, so that equal machines share a file.
Expected<std::filesystem::path> write_simulation(const std::filesystem::path& folder, const SimulatedMachine& machine);

// Replaces the driver and the GPUs of the run line, as read from this machine, by the simulated ones.
void add_simulation(RunLine& line, const Simulation& simulation);

}  // namespace tocuda
