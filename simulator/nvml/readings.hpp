// tocuda, Apache-2.0.
// Shared by all functions of the simulated NVML: the GPUs of the file by their handles, and readings of their
// telemetry. Each reading is counted and takes the host's time; how busy a GPU is comes from the simulated runtime of
// this process, if there is one.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "settings/simulation_file.hpp"

namespace tocuda::simulator::nvml {

enum Result {
    success = 0,
    invalid_argument = 2,
    not_supported = 3,
    not_found = 6,
    insufficient_size = 7,
    driver_not_loaded = 9
};

const SimulationFile& machine();
const SimulatedGpu* gpu(void* handle);  // null if the handle is unknown
int index_of(const SimulatedGpu& of);

// Bytes that this process has allocated on it; 0 unless the simulated runtime is loaded here.
unsigned long long bytes_in_use(const SimulatedGpu& of);

// Bytes that it has sent to other GPUs in this process, or received from them.
std::uint64_t bytes_between_gpus(const SimulatedGpu& of, bool sent);

// Returns the line of telemetry that applies, or null. Readings are counted under the name `asked_as`, because one
// field can be queried in several ways.
const TelemetryLine* reading(const SimulatedGpu& of, std::string_view field, std::string_view asked_as);
// Returns a number; `otherwise` if the profile has no line for it.
std::optional<std::uint64_t> number(const SimulatedGpu& of, std::string_view field,
                                    std::optional<std::int64_t> otherwise, std::string_view asked_as);

// Calls `write` with the GPU, unless its handle or the place for the result is missing.
template <typename Target, typename Write>
int about(void* handle, Target* target, Write&& write) {
    const SimulatedGpu* of = gpu(handle);
    return of && target ? static_cast<int>(write(*of)) : invalid_argument;
}

}  // namespace tocuda::simulator::nvml
