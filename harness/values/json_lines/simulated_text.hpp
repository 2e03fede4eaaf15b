// tocuda, Apache-2.0.
// Parses what users write about a simulated GPU: a fault, or a line of telemetry as "MOMENT FIELD VALUE".
#pragma once

#include <string_view>

#include "model/problem.hpp"
#include "simulator/schema/simulated_machine.hpp"
#include "simulator/schema/telemetry.hpp"

namespace tocuda {

// "work+0.02,process=2 sm_clock_mhz 1980", "3 reasons hw_slowdown,hw_thermal", "0 processes 77:1000".
Expected<TelemetryLine> parse_telemetry(std::string_view text);

// "cudaMalloc 3 2 sticky": the third call of cudaMalloc returns error 2, and so does every later call of any function.
// "peer 0 1 lost": stores of GPU 0 into the memory of GPU 1 do not arrive.
Expected<SimulatedFault> parse_fault(std::string_view text);

}  // namespace tocuda
