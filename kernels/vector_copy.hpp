// tocuda, Apache-2.0.
// Copies 16 bytes at a time, like most tuned code: four loads per thread before its first store.
#pragma once

#include "kernels/copy_reference.hpp"
#include "kernels/tiles.hpp"

namespace tocuda {

// Kernel. If both addresses have the same offset within 16 bytes, copies vectors between a head and a tail of single
// bytes; otherwise copies byte by byte.
struct VectorCopy {
    static constexpr bool has_barrier = false;
    static constexpr unsigned threads = 512;
    static constexpr unsigned in_flight = 4;

    static constexpr Grid grid(std::size_t bytes) {
        return {.blocks = blocks_for(parts(bytes, threads * in_flight * sizeof(Vector16))),
                .threads = threads,
                .bytes_touched = 2 * bytes};
    }

    template <class Block>
    constexpr void operator()(Block& block, std::byte* to, const std::byte* from, std::size_t bytes) const {
        copy_cut<Vector16, in_flight, Hint::plain>(block, block.threads, to, from, bytes);
    }
};

}  // namespace tocuda
