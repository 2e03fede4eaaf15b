// tocuda, Apache-2.0.
// Selects the row of the table of chosen variants for a copy within a GPU, by its size and the GPU.
#pragma once

#include <cstddef>
#include <string_view>

#include "measurement/gpu/gpu_facts.hpp"

namespace tocuda {

// Small copies gain more from using every multiprocessor than from loads in flight, until each multiprocessor has two
// blocks with eight loads per thread. Large copies must keep memory busy, and those that do not fit into the cache
// must not evict data that is still to be read.
constexpr std::string_view copy_operation(const GpuFacts& gpu, std::size_t bytes) {
    constexpr std::size_t tile = std::size_t{256} * 8 * 16;
    if (bytes < tile * gpu.multiprocessors * 2) return "copy_small";
    return 2 * bytes <= gpu.l2_bytes ? "copy_cached" : "copy";
}

}  // namespace tocuda
