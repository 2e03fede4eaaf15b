// tocuda, Apache-2.0.
// Launches a kernel on the GPU. Only nvcc compiles this file.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <type_traits>

#include "measurement/cuda_error.hpp"
#include "measurement/device_block.hpp"
#include "measurement/grid.hpp"
#include "measurement/stream.hpp"

namespace tocuda {

inline constexpr bool launches_on_gpu = true;

template <class Kernel, class... Arguments>
void allow_shared(std::size_t bytes) {
    if (bytes <= shared_bytes_unasked) return;
    require("cudaFuncSetAttribute",
            cudaFuncSetAttribute(on_device<Kernel, Arguments...>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 static_cast<int>(bytes)));
}

// Returns how many such blocks a multiprocessor of the current GPU runs at once.
template <class Kernel, class... Arguments>
unsigned blocks_at_once(unsigned threads, std::size_t shared_bytes) {
    allow_shared<Kernel, Arguments...>(shared_bytes);
    int blocks = 0;
    require("cudaOccupancyMaxActiveBlocksPerMultiprocessor",
            cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, on_device<Kernel, Arguments...>,
                                                          static_cast<int>(threads), shared_bytes));
    return static_cast<unsigned>(blocks);
}

template <class Kernel, class... Arguments>
void launch(const Stream& stream, const Grid& grid, Kernel kernel, Arguments... arguments) {
    static_assert(std::is_same_v<decltype(Kernel::has_barrier), const bool>, "every kernel says so, for the CPU");
    [[maybe_unused]] constexpr bool reaches = requires { Kernel::touched(arguments...); };  // used by the CPU, too
    allow_shared<Kernel, Arguments...>(grid.shared_bytes);
    on_device<<<grid.blocks, grid.threads, grid.shared_bytes, stream.get()>>>(kernel, arguments...);
    require("launch", cudaGetLastError());
}

}  // namespace tocuda
