// tocuda, Apache-2.0.
// Parses a fault as users write it: "FUNCTION CALL ERROR|hang [sticky]".
#pragma once

#include <string_view>

#include "model/problem.hpp"
#include "model/simulated/machine.hpp"

namespace tocuda {

// "cudaMalloc 3 2 sticky": the third call of cudaMalloc returns error 2, and so does every later call of any function.
Expected<SimulatedFault> parse_fault(std::string_view text);

}  // namespace tocuda
