// tocuda, Apache-2.0.
// A reading of a simulated GPU: what the profile's telemetry says of a field by now. Each one counts, and takes the
// host's time.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "management/gpus.hpp"

namespace tocuda::stand_in::management {

// The line of telemetry that counts, or null. `asked_as`: readings are counted by this name, where a field is asked for
// in several ways.
const TelemetryLine* reading(const SimulatedGpu& of, std::string_view field, std::string_view asked_as);
// A number; `otherwise` where the profile says nothing of it.
std::optional<std::uint64_t> number(const SimulatedGpu& of, std::string_view field,
                                    std::optional<std::int64_t> otherwise, std::string_view asked_as);

}  // namespace tocuda::stand_in::management
