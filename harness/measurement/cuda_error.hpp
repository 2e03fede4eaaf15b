// tocuda, Apache-2.0.
// A call into the CUDA runtime that failed: which, and what the runtime says of it.
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
