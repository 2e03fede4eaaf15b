// tocuda, Apache-2.0.
// Which kernel copies so many bytes best within a GPU: a pure choice, from what the kernels need and what the GPU has.
#pragma once

#include <cstddef>

#include "kernels/memory_access.hpp"

namespace tocuda {

enum class CopyKernel { unrolled, misaligned };

struct CopyChoice {
    CopyKernel kernel = CopyKernel::unrolled;
    unsigned in_flight = 1;  // loads of a thread before its first store
    Hint hint = Hint::plain;

    bool operator==(const CopyChoice&) const = default;
};

struct CopyGpu {
    int compute_capability = 0;
    unsigned multiprocessors = 1;
    std::size_t l2_bytes = 0;
};

// Small copies want every multiprocessor more than they want loads in flight: a thread takes one vector, until each multiprocessor has two
// blocks of eight. Large ones want memory kept busy, with the fewest registers that do it; and what does not fit into the cache is not to
// push out what is still to be read.
constexpr CopyChoice copy_choice(const CopyGpu& gpu, std::size_t bytes, bool alike) {
    if (!alike) return {.kernel = CopyKernel::misaligned, .in_flight = 4, .hint = Hint::plain};
    constexpr std::size_t tile = 256 * 8 * sizeof(Vector16);
    if (bytes < tile * gpu.multiprocessors * 2) return {.in_flight = 1};
    if (2 * bytes <= gpu.l2_bytes) return {.in_flight = 8};
    // What H200 and its like need in flight is three times what their forerunners do.
    return {.in_flight = gpu.compute_capability >= 90 ? 12U : 8U, .hint = Hint::streaming};
}

}  // namespace tocuda
