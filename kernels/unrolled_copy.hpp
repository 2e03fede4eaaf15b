// tocuda, Apache-2.0.
// Copies 16 bytes at a time with many loads per thread in flight and a cache hint.
#pragma once

#include <array>

#include "kernels/copy_reference.hpp"
#include "kernels/tiles.hpp"

namespace tocuda {

struct UnrolledShape {
    unsigned in_flight = 1;  // loads per thread before its first store
    unsigned threads = 256;  // per block
    Hint hint = Hint::plain;

    bool operator==(const UnrolledShape&) const = default;
};

// The compiled shapes, which are the allowed parameter values.
inline constexpr std::array unrolled_loads{4U, 8U, 12U, 16U};
inline constexpr std::array unrolled_threads{128U, 256U, 512U};
inline constexpr std::array unrolled_hints{Hint::plain, Hint::streaming_store, Hint::streaming};
inline constexpr auto unrolled_shapes = [] {
    std::array<UnrolledShape, 1 + unrolled_loads.size() * unrolled_threads.size() * unrolled_hints.size()> all{};
    std::size_t count = 1;  // the first is for small copies: one load per thread
    for (const auto in_flight : unrolled_loads)
        for (const auto threads : unrolled_threads)
            for (const auto hint : unrolled_hints) all[count++] = {in_flight, threads, hint};
    return all;
}();

// Kernel. With 16 loads of 16 bytes in flight a thread needs 64 registers for them: two or three blocks of 256 such
// threads fit on a multiprocessor, or one of 512.
template <unsigned loads, Hint hint, unsigned block_threads = 256>
struct UnrolledCopy {
    static constexpr bool has_barrier = false;
    static constexpr unsigned threads = block_threads;
    static constexpr unsigned in_flight = loads;

    static constexpr Grid grid(std::size_t bytes) {
        return {.blocks = blocks_for(parts(bytes, threads * in_flight * sizeof(Vector16))),
                .threads = threads,
                .bytes_touched = 2 * bytes};
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
