// tocuda, Apache-2.0.
// Selects the row of the table of chosen variants for a copy within a GPU, by its size and the GPU.
#pragma once

#include <cstddef>
#include <string_view>

#include "measurement/gpu/gpu_facts.hpp"

namespace tocuda {

// Small arrays gain more from using every multiprocessor than from loads in flight, until each multiprocessor has two
// blocks with eight loads per thread.
constexpr bool is_small(const GpuFacts& gpu, std::size_t bytes_loaded) {
    constexpr std::size_t tile = std::size_t{256} * 8 * 16;
    return bytes_loaded < tile * gpu.multiprocessors * 2;
}

// Large copies must keep memory busy, and those that do not fit into the cache must not evict data that is still to be
// read.
constexpr std::string_view copy_operation(const GpuFacts& gpu, std::size_t bytes) {
    if (is_small(gpu, bytes)) return "copy_small";
    return 2 * bytes <= gpu.l2_bytes ? "copy_cached" : "copy";
}

}  // namespace tocuda
