// tocuda, Apache-2.0.
// Copies 32 bytes at a time with 256-bit loads and stores (compute capability 10.0).
#pragma once

#include "kernels/copy_reference.hpp"
#include "kernels/tiles.hpp"

namespace tocuda {

// Kernel.
struct Vector32Copy {
    static constexpr bool has_barrier = false;
    static constexpr unsigned threads = 256;
    static constexpr unsigned in_flight = 4;
    static constexpr int compute_capability = 100;

    static constexpr Grid grid(std::size_t bytes) {
        return {.blocks = blocks_for(parts(bytes, threads * in_flight * sizeof(Vector32))),
                .threads = threads,
                .bytes_touched = 2 * bytes};
    }

    template <class Block>
    constexpr void operator()(Block& block, std::byte* to, const std::byte* from, std::size_t bytes) const {
        copy_cut<Vector32, in_flight, Hint::plain>(block, threads, to, from, bytes);
    }
};

}  // namespace tocuda
