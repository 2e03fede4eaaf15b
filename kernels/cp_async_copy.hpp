// tocuda, Apache-2.0.
// Copies through shared memory with cp.async, so that data in flight needs no registers.
#pragma once

#include "kernels/copy_reference.hpp"
#include "kernels/tiles.hpp"
#include "measurement/block.hpp"

namespace tocuda {

// Kernel. Each thread has its own places in shared memory and does not wait for other threads.
struct CpAsyncCopy {
    static constexpr bool has_barrier = false;
    static constexpr unsigned threads = 256;
    static constexpr unsigned in_flight = 4;
    static constexpr int compute_capability = 80;
    static constexpr std::size_t shared_bytes = std::size_t{threads} * in_flight * sizeof(Vector16);

    static constexpr Grid grid(std::size_t bytes, unsigned multiprocessors, unsigned blocks_each) {
        const auto tiles = parts(bytes, shared_bytes);
        return {.blocks = blocks_for(std::min(tiles, std::size_t{multiprocessors} * blocks_each)),
                .threads = threads,
                .shared_bytes = shared_bytes,
                .bytes_touched = 2 * bytes};
    }

    template <class Block>
    constexpr void operator()(Block& block, std::byte* to, const std::byte* from, std::size_t bytes) const {
        const auto pieces = cut<Vector16>(to, from, bytes);
        if (!pieces.alike) return copy_bytes(block, to, from, bytes);
        auto* places = shared<Vector16>(block, threads * in_flight) + block.thread;
        through(block, places, reinterpret_cast<Vector16*>(to + pieces.head),
                reinterpret_cast<const Vector16*>(from + pieces.head), pieces.elements);
        copy_edges(block, to, from, bytes, pieces);
    }

private:
    template <class Block>
    static constexpr void through(const Block& block, Vector16* places, Vector16* to, const Vector16* from,
                                  std::size_t count) {
        const auto step = std::size_t{block.blocks} * threads;
        auto stored = std::size_t{block.block} * threads + block.thread;
        auto begun = stored;
        AsynchronousCopies<in_flight> copies;
        const auto begin = [&](unsigned place) {
            if (begun < count) copies.begin(places + place * threads, from + begun);
            else copies.begin_nothing();
            begun += step;
        };
        for (unsigned place = 0; place < in_flight; ++place) begin(place);
        while (stored < count) {
            for (unsigned place = 0; place < in_flight; ++place) {
                copies.template await<in_flight - 1>();
                if (stored < count) to[stored] = places[place * threads];
                stored += step;
                begin(place);
            }
        }
    }
};

}  // namespace tocuda
