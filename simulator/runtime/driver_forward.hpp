// tocuda, Apache-2.0.
// For functions of the driver that are the runtime's under other names.
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

#include "runtime/simulation.hpp"

namespace tocuda::simulator {

// The codes are equal, but the driver's errors do not become the thread's last error.
template <typename Function, typename... Arguments>
CUresult forward(Function* function, Arguments... arguments) {
    const cudaError_t before = Thread::mine().last_error;
    const cudaError_t result = function(arguments...);
    Thread::mine().last_error = before;
    return static_cast<CUresult>(result);
}

}  // namespace tocuda::simulator
