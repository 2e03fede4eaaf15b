// tocuda, Apache-2.0.
// Chooses which line of a simulated GPU's telemetry applies now.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "simulator/schema/telemetry.hpp"

namespace tocuda::simulator {

// The conditions that lines of telemetry depend on, for one GPU in one process.
struct TelemetryNow {
    std::uint64_t reading = 1;
    std::uint64_t process = 0;
    double seconds = 0;
    double work_begin = -1;  // below 0: no work yet
    double work_end = -1;
};

// Returns the last line of this field whose conditions hold; null if there is none.
const TelemetryLine* telemetry_line(const std::vector<TelemetryLine>& lines, std::string_view field,
                                    const TelemetryNow& now);

}  // namespace tocuda::simulator
