// tocuda, Apache-2.0.
// The loops of the BabelStream kernels over arrays of doubles: each thread processes pairs of neighbouring elements,
// several at a time.
#pragma once

#include "kernels/tiles.hpp"

namespace tocuda {

struct alignas(16) Pair {
    double first;
    double second;
};

inline constexpr double stream_scalar = 3.0;  // an integer, so that every result is exact

// Calls `several(first)` for every complete group of `in_flight` pairs of a thread, `one(i)` for single pairs, and
// `last(i)` for an element without a partner.
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

// The same, but a block processes several adjacent tiles and loads the next tile before it stores the last one:
// `loaded(first)` returns a thread's part of a tile, `stored(first, held)` computes and stores it.
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
