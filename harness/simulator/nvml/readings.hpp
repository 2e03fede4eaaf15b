// tocuda, Apache-2.0.
// Reads a field of a simulated GPU's telemetry. Each reading is counted and takes the host's time; how busy the GPU is
// comes from the simulated runtime of this process, if there is one.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "nvml/gpus.hpp"

namespace tocuda::simulator::nvml {

// Returns the line of telemetry that applies, or null. Readings are counted under the name `asked_as`, because one
// field can be queried in several ways.
const TelemetryLine* reading(const SimulatedGpu& of, std::string_view field, std::string_view asked_as);
// Returns a number; `otherwise` if the profile has no line for it.
std::optional<std::uint64_t> number(const SimulatedGpu& of, std::string_view field,
                                    std::optional<std::int64_t> otherwise, std::string_view asked_as);

}  // namespace tocuda::simulator::nvml
