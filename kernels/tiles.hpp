// tocuda, Apache-2.0.
// Divides a run of bytes among blocks and threads: single bytes up to an aligned address, then whole elements, then
// single bytes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "kernels/memory_access.hpp"
#include "measurement/block.hpp"

namespace tocuda {

// Returns one block per tile, limited to the maximum of a launch; each block takes every `blocks`-th tile.
constexpr unsigned blocks_for(std::size_t tiles) {
    return static_cast<unsigned>(std::clamp(tiles, std::size_t{1}, std::size_t{0x7fffffff}));
}

// Returns a grid with one block for each tile. `touched`: the bytes that the kernel reads and writes.
constexpr Grid grid_over(std::size_t all, std::size_t tile, unsigned threads, std::size_t touched) {
    return {.blocks = blocks_for(parts(all, tile)), .threads = threads, .bytes_touched = touched};
}

// What a copy writes and reads, either of which may be host memory.
constexpr Touched touched_by_copy(const std::byte* to, const std::byte* from, std::size_t bytes) {
    return {.written = to, .bytes_written = bytes, .read = from, .bytes_read = bytes};
}

struct WholeElements {
    bool alike = false;  // both addresses have the same offset within an element; if not, no elements are copied whole
    std::size_t head = 0;
    std::size_t elements = 0;
    std::size_t tail = 0;  // start of the tail
};

template <class Element>
constexpr WholeElements cut(const void* to, const void* from, std::size_t bytes) {
    const auto past = reinterpret_cast<std::uintptr_t>(to) % sizeof(Element);
    if (past != reinterpret_cast<std::uintptr_t>(from) % sizeof(Element)) return {};
    const auto head = std::min(bytes, (sizeof(Element) - past) % sizeof(Element));
    const auto elements = (bytes - head) / sizeof(Element);
    return {.alike = true, .head = head, .elements = elements, .tail = head + elements * sizeof(Element)};
}

template <class Block>
constexpr void copy_singly(const Block& block, std::byte* to, const std::byte* from, std::size_t count) {
    for (std::size_t i = block.thread; i < count; i += block.threads) to[i] = from[i];
}

template <class Block>
constexpr void copy_edges(const Block& block, std::byte* to, const std::byte* from, std::size_t bytes,
                          const WholeElements& cut) {
    if (block.block != 0) return;
    copy_singly(block, to, from, cut.head);
    copy_singly(block, to + cut.tail, from + cut.tail, bytes - cut.tail);
}

// For addresses with different offsets: every thread of the grid copies single bytes.
template <class Block>
constexpr void copy_bytes(const Block& block, std::byte* to, const std::byte* from, std::size_t bytes) {
    const auto step = std::size_t{block.blocks} * block.threads;
    for (auto i = std::size_t{block.block} * block.threads + block.thread; i < bytes; i += step) to[i] = from[i];
}

// Neighbouring threads copy neighbouring elements; a thread issues `in_flight` loads before its first store. `threads`
// is the size of the block: if it is a constant, every address is one register plus a constant.
template <unsigned in_flight, Hint hint, class Block, class Element>
constexpr void copy_tiles(const Block& block, unsigned threads, Element* to, const Element* from, std::size_t count) {
    const auto tile = std::size_t{threads} * in_flight;
    for (auto start = block.block * tile; start < count; start += block.blocks * tile) {
        const auto first = start + block.thread;
        Element held[in_flight];
        if (start + tile <= count) {
            for (unsigned i = 0; i < in_flight; ++i) held[i] = load<hint>(from + first + i * threads);
            for (unsigned i = 0; i < in_flight; ++i) store<hint>(to + first + i * threads, held[i]);
        } else {
            for (unsigned i = 0; i < in_flight; ++i)
                if (first + i * threads < count) held[i] = load<hint>(from + first + i * threads);
            for (unsigned i = 0; i < in_flight; ++i)
                if (first + i * threads < count) store<hint>(to + first + i * threads, held[i]);
        }
    }
}

// Calls `stored(first, loaded(first))` for this thread's part of each whole tile of its block, which takes every
// `blocks`-th of them. The question whether another tile follows stands between the two calls: without a branch there,
// the compiler uses what is loaded first before it has issued the last load.
template <class Block, class Loaded, class Stored>
constexpr void over_tiles(const Block& block, std::size_t tile, std::size_t whole, const Loaded& loaded,
                          const Stored& stored) {
    const auto step = block.blocks * tile;
    auto start = block.block * tile;
    if (start >= whole) return;
    auto held = loaded(start + block.thread);
    for (; start + step < whole; start += step) {
        stored(start + block.thread, held);
        held = loaded(start + step + block.thread);
    }
    stored(start + block.thread, held);
}

// Copies everything in elements of this size, or byte by byte if the addresses have different offsets.
template <class Element, unsigned in_flight, Hint hint, class Block>
constexpr void copy_cut(const Block& block, unsigned threads, std::byte* to, const std::byte* from, std::size_t bytes) {
    const auto pieces = cut<Element>(to, from, bytes);
    if (!pieces.alike) return copy_bytes(block, to, from, bytes);
    copy_tiles<in_flight, hint>(block, threads, reinterpret_cast<Element*>(to + pieces.head),
                                reinterpret_cast<const Element*>(from + pieces.head), pieces.elements);
    copy_edges(block, to, from, bytes, pieces);
}

}  // namespace tocuda
