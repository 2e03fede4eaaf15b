// tocuda, Apache-2.0.
// Functions of CUDA's driver, looked up by name, so that no library of the driver is linked.
#pragma once

#include <cuda.h>
#include <cuda_runtime_api.h>

namespace tocuda {

// Returns the function as that version of the interface has it (11040 is 11.4), or null if the driver has none.
template <class Function>
Function* driver_function(const char* name, unsigned interface_version) {
    void* found = nullptr;
    cudaDriverEntryPointQueryResult result{};
    const auto answer = cudaGetDriverEntryPointByVersion(name, &found, interface_version, cudaEnableDefault, &result);
    if (answer != cudaSuccess) static_cast<void>(cudaGetLastError());
    return answer == cudaSuccess && result == cudaDriverEntryPointSuccess ? reinterpret_cast<Function*>(found)
                                                                          : nullptr;
}

}  // namespace tocuda
