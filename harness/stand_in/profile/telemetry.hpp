// tocuda, Apache-2.0.
// What NVML says of a simulated GPU, and from when on: lines "MOMENT FIELD VALUE" of the profile. Of those whose moment has come, the last
// counts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tocuda::stand_in {

// Conditions, all of which must hold; in the file they stand with commas between them.
struct TelemetryMoment {
    std::uint64_t reading = 0;             // "3": from the third reading of the field in this process
    std::optional<std::uint64_t> process;  // "process=2": in this process only
    double after_seconds = 0;              // "0.5s": from then on, in virtual time
    double after_work_seconds = -1;        // "work" or "work+0.02": so long after the GPU's first work
    bool while_busy = false;               // "busy": while it works, and 50 ms after
};

struct TelemetryLine {
    TelemetryMoment moment;
    std::string field;
    std::string value;
};

// Nothing where a word is not known or a value is none for its field.
std::optional<TelemetryLine> telemetry_line(std::string_view text);

// As it is now for one GPU in one process.
struct TelemetryNow {
    std::uint64_t reading = 1;
    std::uint64_t process = 0;
    double seconds = 0;
    double work_begin = -1;  // below 0: there was none
    double work_end = -1;
};

// What the lines say of a field; nothing where they say nothing.
std::optional<std::string> telemetry_value(const std::vector<TelemetryLine>& lines, std::string_view field, const TelemetryNow& now);

// The bits of NVML for words with commas between them: "none", "gpu_idle", "sw_power_cap", ...
std::optional<std::uint64_t> clock_reasons(std::string_view words);

// "PID:BYTES" with commas between them, or "none".
struct OtherProcess {
    unsigned pid = 0;
    std::uint64_t bytes = 0;
};
std::optional<std::vector<OtherProcess>> other_processes(std::string_view text);

}  // namespace tocuda::stand_in
