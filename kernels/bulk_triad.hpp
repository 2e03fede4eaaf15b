// tocuda, Apache-2.0.
// a = b + s c with doubles. Both sources are loaded in bulk through shared memory (TMA), so that data in flight needs
// no registers.
#pragma once

#include "kernels/memory_triad.hpp"
#include "measurement/block.hpp"

namespace tocuda {

// Kernel. Each block has `stages` tiles of each source in flight: one thread requests them, all threads compute. A tile
// of a source has `tile_bytes`, a multiple of 128. 2 to 32 stages.
struct BulkTriad {
    static constexpr bool has_barrier = true;
    static constexpr unsigned threads = 256;
    static constexpr int compute_capability = 90;
    unsigned tile_bytes = 8192;
    unsigned stages = 4;

    constexpr std::size_t shared_bytes() const { return places_start() + std::size_t{2} * stages * tile_bytes; }

    constexpr Grid grid(std::size_t count, unsigned multiprocessors, unsigned blocks_each) const {
        const auto tiles = parts(count * sizeof(double), tile_bytes);
        return {.blocks = blocks_for(std::min(tiles, std::size_t{multiprocessors} * blocks_each)),
                .threads = threads,
                .shared_bytes = shared_bytes(),
                .bytes_touched = 3 * count * sizeof(double)};
    }

    template <class Block>
    constexpr void operator()(Block& block, double* a, const double* b, const double* c, std::size_t count) const {
        auto* barriers = shared<std::uint64_t>(block, stages);
        auto* places = static_cast<std::byte*>(block.shared_array(std::size_t{2} * stages * tile_bytes, alignment));
        BulkCopies copies(barriers);
        if (block.thread == 0) copies.begin(stages, 2);
        over_tiles(block, {a, b, c, count / 2 * sizeof(Pair)}, copies, places);
        if (count % 2 != 0 && block.block == 0 && block.thread == 0)
            a[count - 1] = b[count - 1] + stream_scalar * c[count - 1];
    }

private:
    static constexpr std::size_t alignment = 128;

    struct Run {
        double* a;
        const double* b;
        const double* c;
        std::size_t bytes;  // of each array, in whole pairs
    };

    constexpr std::size_t places_start() const { return parts(stages * sizeof(std::uint64_t), alignment) * alignment; }

    template <class Block>
    constexpr void over_tiles(Block& block, const Run& run, BulkCopies& copies, std::byte* places) const {
        const auto step = std::size_t{block.blocks} * tile_bytes;
        const auto start = std::size_t{block.block} * tile_bytes;
        const auto bytes_at = [&](std::size_t at) {
            return static_cast<std::uint32_t>(std::min(std::size_t{tile_bytes}, run.bytes - at));
        };
        const auto place_of = [&](unsigned stage) { return places + std::size_t{2} * stage * tile_bytes; };
        const auto load = [&](unsigned stage, std::size_t at) {
            if (block.thread != 0 || at >= run.bytes) return;
            copies.load(stage, place_of(stage), reinterpret_cast<const std::byte*>(run.b) + at, bytes_at(at));
            copies.load(stage, place_of(stage) + tile_bytes, reinterpret_cast<const std::byte*>(run.c) + at,
                        bytes_at(at));
        };
        for (unsigned stage = 0; stage < stages; ++stage) load(stage, start + stage * step);
        unsigned stage = 0;
        for (auto at = start; at < run.bytes; at += step) {
            if (block.thread == 0) copies.await_load(stage);
            block.barrier();  // makes the arrived data visible to all threads
            const auto* left = reinterpret_cast<const Pair*>(place_of(stage));
            const auto* right = reinterpret_cast<const Pair*>(place_of(stage) + tile_bytes);
            auto* to = reinterpret_cast<Pair*>(run.a) + at / sizeof(Pair);
            for (unsigned i = block.thread; i < bytes_at(at) / sizeof(Pair); i += threads)
                to[i] = triad_of(left[i], right[i]);
            block.barrier();  // no thread reads the tile any more
            load(stage, at + stages * step);
            stage = stage + 1 == stages ? 0 : stage + 1;
        }
    }
};

}  // namespace tocuda
