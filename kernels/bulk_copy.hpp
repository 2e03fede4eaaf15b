// tocuda, Apache-2.0.
// Bulk copies through shared memory (TMA): one thread per block requests whole tiles, the hardware moves them.
#pragma once

#include "kernels/copy_reference.hpp"
#include "kernels/tiles.hpp"
#include "measurement/block.hpp"

namespace tocuda {

// Kernel. Each block has `stages` tiles of `tile_bytes` (a multiple of 128) in flight: each is loaded and stored, and
// its buffer is reused once the store has read it. 2 to 32 stages.
struct BulkCopy {
    static constexpr bool has_barrier = false;
    static constexpr unsigned threads = 32;
    static constexpr int compute_capability = 90;
    unsigned tile_bytes = 8192;
    unsigned stages = 4;
    L2Policy lines = L2Policy::none;

    constexpr std::size_t shared_bytes() const { return places_start() + std::size_t{stages} * tile_bytes; }

    constexpr Grid grid(std::size_t bytes, unsigned multiprocessors, unsigned blocks_each) const {
        const auto tiles = parts(bytes, tile_bytes);
        return {.blocks = blocks_for(std::min(tiles, std::size_t{multiprocessors} * blocks_each)),
                .threads = threads,
                .shared_bytes = shared_bytes(),
                .bytes_touched = 2 * bytes};
    }

    template <class Block>
    constexpr void operator()(Block& block, std::byte* to, const std::byte* from, std::size_t bytes) const {
        const auto pieces = cut<Vector16>(to, from, bytes);
        if (!pieces.alike) return copy_bytes(block, to, from, bytes);
        auto* barriers = shared<std::uint64_t>(block, stages);
        auto* places = static_cast<std::byte*>(block.shared_array(std::size_t{stages} * tile_bytes, alignment));
        if (block.thread == 0)
            copy_bulk(block, {to + pieces.head, from + pieces.head, pieces.elements * sizeof(Vector16)}, barriers,
                      places);
        copy_edges(block, to, from, bytes, pieces);
    }

private:
    static constexpr std::size_t alignment = 128;

    struct Run {
        std::byte* to;
        const std::byte* from;
        std::size_t bytes;
    };

    constexpr std::size_t places_start() const { return parts(stages * sizeof(std::uint64_t), alignment) * alignment; }

    template <class Block>
    constexpr void copy_bulk(const Block& block, const Run& run, std::uint64_t* barriers, std::byte* places) const {
        BulkCopies copies(barriers, lines);
        copies.begin(stages);
        const auto step = std::size_t{block.blocks} * tile_bytes;
        const auto start = std::size_t{block.block} * tile_bytes;
        const auto bytes_at = [&](std::size_t at) {
            return static_cast<std::uint32_t>(std::min(std::size_t{tile_bytes}, run.bytes - at));
        };
        auto loaded = start;  // start of the next load
        const auto load = [&](unsigned stage) {
            if (loaded < run.bytes)
                copies.load(stage, places + std::size_t{stage} * tile_bytes, run.from + loaded, bytes_at(loaded));
            loaded += step;
        };
        for (unsigned stage = 0; stage < stages; ++stage) load(stage);
        unsigned stage = 0;
        for (auto at = start; at < run.bytes; at += step) {
            copies.await_load(stage);
            copies.store(run.to + at, places + std::size_t{stage} * tile_bytes, bytes_at(at));
            if (at != start) {
                copies.await_read<1>();  // all but the newest store
                load(stage == 0 ? stages - 1 : stage - 1);
            }
            stage = stage + 1 == stages ? 0 : stage + 1;
        }
        copies.await_stores();
    }
};

}  // namespace tocuda
