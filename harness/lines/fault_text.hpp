// tocuda, Apache-2.0.
// A fault as people write it: "FUNCTION CALL ERROR|hang [sticky]".
#pragma once

#include <string_view>

#include "lines/parsed.hpp"
#include "model/simulated/machine.hpp"

namespace tocuda {

// "cudaMalloc 3 2 sticky": its third call answers error 2, and so does every call after it.
Parsed<SimulatedFault> parse_fault(std::string_view text);

}  // namespace tocuda
