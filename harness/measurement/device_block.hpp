// tocuda, Apache-2.0.
// The block as a GPU has it, and the one wrapper through which every kernel is launched there. Only nvcc reads this file.
#pragma once

#include <cstddef>

#include "measurement/block.hpp"

namespace tocuda {

struct DeviceBlock {
    unsigned thread = threadIdx.x;
    unsigned threads = blockDim.x;
    unsigned block = blockIdx.x;
    unsigned blocks = gridDim.x;
    std::size_t shared_used = 0;

    __device__ void barrier() const { __syncthreads(); }

    __device__ void* shared_array(std::size_t bytes, std::size_t alignment) {
        extern __shared__ __align__(16) unsigned char shared_memory[];
        const auto start = aligned_up(shared_used, alignment);
        shared_used = start + bytes;
        return shared_memory + start;
    }
};

template <class Kernel, class... Arguments>
__global__ void on_device(Kernel kernel, Arguments... arguments) {
    DeviceBlock block;
    kernel(block, arguments...);
}

}  // namespace tocuda
