// tocuda, Apache-2.0.
// What a simulated GPU's telemetry says now.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "model/simulated/telemetry.hpp"

namespace tocuda::stand_in {

// As it is now for one GPU in one process.
struct TelemetryNow {
    std::uint64_t reading = 1;
    std::uint64_t process = 0;
    double seconds = 0;
    double work_begin = -1;  // below 0: there was none
    double work_end = -1;
};

// The line of a field that counts; null where none does.
const TelemetryLine* telemetry_line(const std::vector<TelemetryLine>& lines, std::string_view field,
                                    const TelemetryNow& now);

}  // namespace tocuda::stand_in
