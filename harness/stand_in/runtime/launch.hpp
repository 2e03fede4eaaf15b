// tocuda, Apache-2.0.
// A kernel's launch: checked, put into its stream, computed where the host has a build of it, counted where it has not.
#pragma once

#include "runtime/answer.hpp"
#include "runtime/kernel_registry.hpp"

namespace tocuda::stand_in {

struct Launch {
    dim3 grid;
    dim3 block;
    std::size_t shared_bytes = 0;
    cudaStream_t stream = nullptr;
    void** arguments = nullptr;
};

cudaError_t launch(const Call& call, const void* function_or_kernel, const Launch& what);

}  // namespace tocuda::stand_in
