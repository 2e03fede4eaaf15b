// tocuda, Apache-2.0.
// Gathers every n-th four-byte element into one run, like copying a column.
#pragma once

#include <span>

#include "kernels/tiles.hpp"

namespace tocuda {

// Reference.
inline void strided_copy_reference(std::span<std::uint32_t> to, std::span<const std::uint32_t> from,
                                   std::size_t stride) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = from[i * stride];
}

// Returns the number of source elements up to the last one that is read.
constexpr std::size_t strided_extent(std::size_t count, std::size_t stride) {
    return count == 0 ? 0 : (count - 1) * stride + 1;
}

// Kernel. The stores form one run: neighbouring threads load and store neighbouring elements.
struct StridedCopy {
    static constexpr bool has_barrier = false;
    static constexpr unsigned threads = 256;
    static constexpr unsigned in_flight = 8;

    static constexpr Grid grid(std::size_t count) {
        return {.blocks = blocks_for(parts(count, threads * in_flight)),
                .threads = threads,
                .bytes_touched = 2 * count * sizeof(std::uint32_t)};
    }

    template <class Block>
    constexpr void operator()(Block& block, std::uint32_t* to, const std::uint32_t* from, std::size_t count,
                              std::size_t stride) const {
        const auto tile = std::size_t{threads} * in_flight;
        for (auto start = block.block * tile; start < count; start += block.blocks * tile) {
            const auto first = start + block.thread;
            std::uint32_t held[in_flight];
            for (unsigned i = 0; i < in_flight; ++i)
                if (first + i * threads < count) held[i] = from[(first + i * threads) * stride];
            for (unsigned i = 0; i < in_flight; ++i)
                if (first + i * threads < count) to[first + i * threads] = held[i];
        }
    }
};

}  // namespace tocuda
