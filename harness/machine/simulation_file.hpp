// tocuda, Apache-2.0.
// A simulation as the file that the simulated runtime reads (TOCUDA_SIMULATION names it), and as the run line tells of it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "model/machine.hpp"
#include "model/profile.hpp"

namespace tocuda {

// One `key value` a line; a line `gpu` begins the next GPU.
std::string simulation_text(const Simulation& simulation, std::uint64_t seed);

// Puts the text into `folder` under a name that is made of it, so that equal simulations share a file. Empty where it cannot be written.
std::filesystem::path write_simulation(const std::filesystem::path& folder, const std::string& text);

// What the simulated GPUs and their driver are called in the run line; what was read of this machine's own driver goes away.
void add_simulation(RunLine& line, const Simulation& simulation);

}  // namespace tocuda
