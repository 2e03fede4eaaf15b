// tocuda, Apache-2.0.
// Launches a kernel: checks it and queues it in its stream; computes it if the host has a build of it, otherwise only
// counts it.
#pragma once

#include "runtime/answer.hpp"
#include "runtime/kernel_registry.hpp"

namespace tocuda::simulator {

struct Launch {
    dim3 grid;
    dim3 block;
    std::size_t shared_bytes = 0;
    cudaStream_t stream = nullptr;
    void** arguments = nullptr;
};

cudaError_t launch(const Call& call, const void* function_or_kernel, const Launch& what);

}  // namespace tocuda::simulator
