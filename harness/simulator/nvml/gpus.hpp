// tocuda, Apache-2.0.
// Shared by all functions of the simulated NVML: the GPUs of the file by their handles, and the result codes.
#pragma once

#include "profile/simulation_file.hpp"

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

}  // namespace tocuda::simulator::nvml
