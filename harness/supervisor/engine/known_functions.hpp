// tocuda, Apache-2.0.
// Faults can be injected into the functions that simulated GPUs have, and a misspelt one would never happen.
#pragma once

#include <string>

#include "simulator/schema/simulated_machine.hpp"

namespace tocuda {

// Why a fault can never happen, because simulated GPUs do not have its function; empty if all can.
std::string fault_of_unknown_function(const SimulatedMachine& machine);

}  // namespace tocuda
