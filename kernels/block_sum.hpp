// tocuda, Apache-2.0.
// The end of a reduction: what the threads of a block have becomes one value of the block.
#pragma once

#include "kernels/tiles.hpp"
#include "measurement/block.hpp"

namespace tocuda {

inline constexpr unsigned reduction_blocks_each = 8;  // on a multiprocessor: 2048 threads of it where they have 256

inline constexpr std::size_t reduction_tiles = 4;  // of a block, where there are many

// A tile each, while the GPU runs all of them at once; beyond that several each. Still many more blocks than run at
// once, so that a multiprocessor that is done early takes another.
constexpr unsigned reduction_blocks(std::size_t tiles, unsigned multiprocessors) {
    const auto at_once = std::size_t{multiprocessors} * reduction_blocks_each;
    return blocks_for(tiles <= at_once ? tiles : std::max(at_once, parts(tiles, reduction_tiles)));
}

// In two steps, of a square root of them each: two barriers, where a tree of pairs has one for each halving.
template <unsigned threads, class Block, class Value, class Join>
constexpr void leave_of_block(Block& block, Value* of_blocks, const Value& own, const Join& join) {
    constexpr unsigned groups = 16;
    static_assert(threads % groups == 0);
    auto* values = shared<Value>(block, threads);
    values[block.thread] = own;
    block.barrier();
    if (block.thread < groups)
        for (unsigned other = block.thread + groups; other < threads; other += groups)
            values[block.thread] = join(values[block.thread], values[other]);
    block.barrier();
    if (block.thread != 0) return;
    auto all = values[0];
    for (unsigned group = 1; group < groups; ++group) all = join(all, values[group]);
    of_blocks[block.block] = all;
}

}  // namespace tocuda
