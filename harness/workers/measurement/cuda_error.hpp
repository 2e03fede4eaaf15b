// tocuda, Apache-2.0.
// The exception for a failed call of the CUDA runtime: names the call and the runtime's error.
#pragma once

#include <cuda_runtime_api.h>

#include <stdexcept>
#include <string>

namespace tocuda {

struct CudaError : std::runtime_error {
    CudaError(const std::string& call, cudaError_t error)
        : std::runtime_error(call + ": " + cudaGetErrorName(error) + ": " + cudaGetErrorString(error)), code(error) {}
    cudaError_t code;
};

inline void require(const char* call, cudaError_t error) {
    if (error != cudaSuccess) throw CudaError(call, error);
}

}  // namespace tocuda
