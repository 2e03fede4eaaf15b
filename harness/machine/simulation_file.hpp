// tocuda, Apache-2.0.
// A simulation as the file that the simulator reads (TOCUDA_SIMULATION names it), and as the run line tells of it.
#pragma once

#include <filesystem>

#include "model/machine.hpp"
#include "model/profile.hpp"

namespace tocuda {

// Puts the machine into `folder` under a name that is made of it, so that equal machines share a file. Empty where it
// cannot be written.
std::filesystem::path write_simulation(const std::filesystem::path& folder, const SimulatedMachine& machine);

// What the simulated GPUs and their driver are called in the run line; what was read of this machine's own driver goes
// away.
void add_simulation(RunLine& line, const Simulation& simulation);

}  // namespace tocuda
