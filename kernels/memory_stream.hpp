// tocuda, Apache-2.0.
// What a kernel of BabelStream does to arrays of doubles: each thread takes pairs of neighbouring elements, several of them at a time.
#pragma once

#include "kernels/tiles.hpp"

namespace tocuda {

struct alignas(16) Pair {
    double first;
    double second;
};

inline constexpr double stream_scalar = 3.0;  // whole: every result is exact

// Calls `pairs(first, stride)` for every `in_flight` pairs of a thread that are all there, `pair(i)` for single ones, and `last(i)` for an
// element that has no partner.
template <unsigned threads, unsigned in_flight, class Block, class Several, class One, class Last>
constexpr void over_pairs(const Block& block, std::size_t count, const Several& several, const One& one, const Last& last) {
    const auto tile = std::size_t{threads} * in_flight;
    const auto all = count / 2;
    for (auto start = block.block * tile; start < all; start += block.blocks * tile) {
        const auto first = start + block.thread;
        if (start + tile <= all) several(first);
        else
            for (auto i = first; i < all; i += threads) one(i);
    }
    if (count % 2 != 0 && block.block == 0 && block.thread == 0) last(count - 1);
}

}  // namespace tocuda
