// tocuda, Apache-2.0.
// Which of the operations in the table of chosen variants a copy within a GPU is: by its size, and by what the GPU has.
#pragma once

#include <cstddef>
#include <string_view>

namespace tocuda {

struct CopyGpu {
    unsigned multiprocessors = 1;
    std::size_t l2_bytes = 0;
};

// Small copies want every multiprocessor more than they want loads in flight, until each multiprocessor has two blocks
// of eight loads a thread. Large ones want memory kept busy; and what does not fit into the cache is not to push out
// what is still to be read.
constexpr std::string_view copy_operation(const CopyGpu& gpu, std::size_t bytes) {
    constexpr std::size_t tile = std::size_t{256} * 8 * 16;
    if (bytes < tile * gpu.multiprocessors * 2) return "copy_small";
    return 2 * bytes <= gpu.l2_bytes ? "copy_cached" : "copy";
}

}  // namespace tocuda
