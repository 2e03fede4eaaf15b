// tocuda, Apache-2.0.
// What a kernel of BabelStream does to arrays of doubles: each thread takes pairs of neighbouring elements, several of
// them at a time.
#pragma once

#include "kernels/tiles.hpp"

namespace tocuda {

struct alignas(16) Pair {
    double first;
    double second;
};

inline constexpr double stream_scalar = 3.0;  // whole: every result is exact

// Calls `pairs(first, stride)` for every `in_flight` pairs of a thread that are all there, `pair(i)` for single ones,
// and `last(i)` for an element that has no partner.
template <unsigned threads, unsigned in_flight, class Block, class Several, class One, class Last>
constexpr void over_pairs(const Block& block, std::size_t count, const Several& several, const One& one,
                          const Last& last) {
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

// The same, but a block takes several tiles that lie side by side, and loads the next before it has stored the last:
// `loaded(first)` gives what a thread holds of a tile, `stored(first, held)` computes and stores it.
template <unsigned threads, unsigned in_flight, class Block, class Loaded, class Stored, class One, class Last>
constexpr void ahead_over_pairs(const Block& block, std::size_t count, unsigned tiles, const Loaded& loaded,
                                const Stored& stored, const One& one, const Last& last) {
    const auto tile = std::size_t{threads} * in_flight;
    const auto all = count / 2;
    const auto whole = all / tile * tile;
    for (auto start = block.block * tile * tiles; start < whole; start += block.blocks * tile * tiles) {
        const auto end = std::min(start + tile * tiles, whole);
        auto at = start + block.thread;
        auto held = loaded(at);
        for (; at + tile < end; at += tile) {
            const auto next = loaded(at + tile);
            stored(at, held);
            held = next;
        }
        stored(at, held);
    }
    if (block.block == block.blocks - 1)
        for (auto i = whole + block.thread; i < all; i += threads) one(i);
    if (count % 2 != 0 && block.block == 0 && block.thread == 0) last(count - 1);
}

}  // namespace tocuda
