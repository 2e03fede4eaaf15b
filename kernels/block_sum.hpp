// tocuda, Apache-2.0.
// The end of a reduction: joins the values of a block's threads into one value per block. And the same on the host, for
// the reference.
#pragma once

#include <algorithm>
#include <atomic>
#include <mutex>
#include <numeric>
#include <span>
#include <vector>

#include "kernels/tiles.hpp"
#include "measurement/block.hpp"
#include "measurement/cuda_objects.hpp"
#include "measurement/threads.hpp"

namespace tocuda {

inline constexpr unsigned reduction_blocks_each = 8;  // per multiprocessor: 2048 threads in blocks of 256

inline constexpr std::size_t reduction_tiles = 4;  // per block, if there are many tiles

// Returns one block per tile as long as the GPU runs all of them at once, otherwise several tiles per block. There are
// still many more blocks than run at once, so that a multiprocessor that finishes early gets another.
constexpr unsigned reduction_blocks(std::size_t tiles, unsigned multiprocessors) {
    const auto at_once = std::size_t{multiprocessors} * reduction_blocks_each;
    return blocks_for(tiles <= at_once ? tiles : std::max(at_once, parts(tiles, reduction_tiles)));
}

// Stores the block's value. Two steps over about sqrt(threads) values each need two barriers; a binary tree needs log2.
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

// Joins the values of the blocks on the host.
template <class Value, class Join>
Value sum_of_blocks(const Stream& stream, const std::byte* of_blocks, std::size_t blocks, const Join& join) {
    std::vector<Value> values(blocks);
    download(std::as_writable_bytes(std::span(values)), of_blocks, stream);
    return std::accumulate(values.begin(), values.end(), Value{}, join);
}

// Joins what `of(first, some)` returns for parts of so many numbers: one thread takes a third of a second for each GiB.
template <class Join, class Of>
auto joined_on_host(std::size_t numbers, const Join& join, const Of& of) {
    constexpr std::size_t part = std::size_t{1} << 20;
    const auto threads = std::clamp<std::size_t>(parts(numbers, part), 1, std::min(usable_threads(), 16U));
    decltype(of(numbers, numbers)) all{};
    std::atomic<std::size_t> next = 0;
    std::mutex joining;
    Crew(static_cast<unsigned>(threads)).run([&] {
        for (auto first = next.fetch_add(part); first < numbers; first = next.fetch_add(part)) {
            const auto one = of(first, std::min(part, numbers - first));
            const std::lock_guard lock(joining);
            all = join(all, one);
        }
    });
    return all;
}

}  // namespace tocuda
