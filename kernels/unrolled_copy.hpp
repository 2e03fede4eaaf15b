// tocuda, Apache-2.0.
// Copies bytes 16 at a time with many loads of each thread in flight, and with a word to the caches.
#pragma once

#include "kernels/copy_reference.hpp"
#include "kernels/tiles.hpp"

namespace tocuda {

// Kernel. Blocks of 256 threads: with 16 loads of 16 bytes a thread holds 64 registers in flight, and two or three such blocks fit into a
// multiprocessor where one of 512 threads would.
template <unsigned loads, Hint hint>
struct UnrolledCopy {
    static constexpr bool has_barrier = false;
    static constexpr unsigned threads = 256;
    static constexpr unsigned in_flight = loads;

    static constexpr Grid grid(std::size_t bytes) {
        return {.blocks = blocks_for(parts(bytes, threads * in_flight * sizeof(Vector16))), .threads = threads, .bytes_touched = 2 * bytes};
    }

    static constexpr Touched touched(const std::byte* to, const std::byte* from, std::size_t bytes) {
        return {.written = to, .bytes_written = bytes, .read = from, .bytes_read = bytes};
    }

    template <class Block>
    constexpr void operator()(Block& block, std::byte* to, const std::byte* from, std::size_t bytes) const {
        copy_cut<Vector16, in_flight, hint>(block, threads, to, from, bytes);
    }
};

}  // namespace tocuda
