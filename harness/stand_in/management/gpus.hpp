// tocuda, Apache-2.0.
// What every function of the management library needs: the GPUs of the file by their handles, and the answers there
// are.
#pragma once

#include "profile/simulation_file.hpp"

namespace tocuda::stand_in::management {

enum Result {
    success = 0,
    invalid_argument = 2,
    not_supported = 3,
    not_found = 6,
    insufficient_size = 7,
    driver_not_loaded = 9
};

const SimulationFile& machine();
const SimulatedGpu* gpu(void* handle);  // null where it is none
int index_of(const SimulatedGpu& of);

// What this process has taken of it, as far as a simulated runtime is loaded here to say so.
unsigned long long bytes_in_use(const SimulatedGpu& of);

}  // namespace tocuda::stand_in::management
