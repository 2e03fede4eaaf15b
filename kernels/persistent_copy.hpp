// tocuda, Apache-2.0.
// Copies with as many blocks as the GPU runs at once: each block processes several tiles and loads the next one before
// it stores the last one.
#pragma once

#include "kernels/copy_reference.hpp"
#include "kernels/tiles.hpp"

namespace tocuda {

// The tiles of a block. interleaved: every n-th tile for n blocks, so that all blocks advance through memory together.
// contiguous: one run per block.
enum class TileOrder { interleaved, contiguous };

struct PersistentShape {
    TileOrder order = TileOrder::interleaved;
    Hint hint = Hint::plain;
};

// Kernel. Holds two tiles in registers, so that a block has loads in flight while it stores.
template <Hint hint>
struct PersistentCopy {
    static constexpr bool has_barrier = false;
    static constexpr unsigned threads = 256;
    static constexpr unsigned in_flight = 8;
    static constexpr std::size_t tile = std::size_t{threads} * in_flight;  // vectors
    TileOrder order = TileOrder::interleaved;

    static constexpr Grid grid(std::size_t bytes, unsigned multiprocessors, unsigned blocks_each) {
        const auto tiles = parts(bytes, tile * sizeof(Vector16));
        return {.blocks = blocks_for(std::min(tiles, std::size_t{multiprocessors} * blocks_each)),
                .threads = threads,
                .bytes_touched = 2 * bytes};
    }

    static constexpr Touched touched(const std::byte* to, const std::byte* from, std::size_t bytes) {
        return {.written = to, .bytes_written = bytes, .read = from, .bytes_read = bytes};
    }

    template <class Block>
    constexpr void operator()(Block& block, std::byte* to, const std::byte* from, std::size_t bytes) const {
        const auto pieces = cut<Vector16>(to, from, bytes);
        if (!pieces.alike) return copy_bytes(block, to, from, bytes);
        const auto whole = pieces.elements / tile * tile;
        auto* target = reinterpret_cast<Vector16*>(to + pieces.head);
        const auto* source = reinterpret_cast<const Vector16*>(from + pieces.head);
        whole_tiles(block, target, source, whole);
        if (block.block == block.blocks - 1) copy_rest(block, target + whole, source + whole, pieces.elements - whole);
        copy_edges(block, to, from, bytes, pieces);
    }

private:
    struct Held {
        Vector16 vectors[in_flight];
    };

    static constexpr Held loaded(const Vector16* from) {
        Held held;
        for (unsigned i = 0; i < in_flight; ++i) held.vectors[i] = load<hint>(from + i * threads);
        return held;
    }

    static constexpr void stored(Vector16* to, const Held& held) {
        for (unsigned i = 0; i < in_flight; ++i) store<hint>(to + i * threads, held.vectors[i]);
    }

    struct Run {
        std::size_t start;
        std::size_t end;
        std::size_t step;
    };

    template <class Block>
    constexpr Run run_of(const Block& block, std::size_t count) const {
        if (order == TileOrder::interleaved) return {block.block * tile, count, block.blocks * tile};
        const auto tiles = count / tile;
        return {tiles * block.block / block.blocks * tile, tiles * (block.block + 1) / block.blocks * tile, tile};
    }

    template <class Block>
    constexpr void whole_tiles(const Block& block, Vector16* to, const Vector16* from, std::size_t count) const {
        const auto [start, end, step] = run_of(block, count);
        auto at = start;
        if (at >= end) return;
        auto first = loaded(from + at + block.thread);
        while (at + step < end) {
            const auto second = loaded(from + at + step + block.thread);
            stored(to + at + block.thread, first);
            first = second;
            at += step;
        }
        stored(to + at + block.thread, first);
    }

    template <class Block>
    static constexpr void copy_rest(const Block& block, Vector16* to, const Vector16* from, std::size_t count) {
        for (std::size_t i = block.thread; i < count; i += threads) store<hint>(to + i, load<hint>(from + i));
    }
};

}  // namespace tocuda
