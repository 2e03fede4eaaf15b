// tocuda, Apache-2.0.
// What the BabelStream kernels share: their numbers, and the loops over arrays of doubles, in which each thread
// processes pairs of neighbouring elements, several at a time.
#pragma once

#include <algorithm>
#include <type_traits>

#include "kernels/launching.hpp"

namespace tocuda {

struct alignas(16) Pair {
    double first;
    double second;
};
struct alignas(32) Quad {
    Pair first;
    Pair second;
};
template <unsigned width>
using DoublesOf = std::conditional_t<width == sizeof(Quad), Quad, Pair>;

inline constexpr double stream_scalar = 3.0;  // an integer, so that every result is exact

// The inputs contain different parts of the payload numbers.
inline constexpr std::size_t place_of_b = 0;
inline constexpr std::size_t place_of_c = std::size_t{1} << 40;

inline double* doubles(std::byte* memory) { return reinterpret_cast<double*>(memory); }

// This many arrays, of which `bytes` is the size of each.
template <std::size_t arrays>
ArraySizes arrays_of_doubles(const Setting& setting) {
    const auto bytes = setting.count<double>() * sizeof(double);
    return {.bytes = std::vector(arrays, bytes), .one_way = bytes, .touched = arrays * bytes};
}

struct PayloadNumber {
    std::size_t place;
    unsigned bits;
    constexpr double operator()(std::size_t i) const { return payload_number(place + i, bits); }
};

constexpr Pair triad_of(const Pair& b, const Pair& c) {
    return {b.first + stream_scalar * c.first, b.second + stream_scalar * c.second};
}

constexpr Quad triad_of(const Quad& b, const Quad& c) {
    return {triad_of(b.first, c.first), triad_of(b.second, c.second)};
}

struct ExpectedTriad {
    constexpr double operator()(std::size_t i) const {
        return payload_number(place_of_b + i, bits_for_one_sum) +
               stream_scalar * payload_number(place_of_c + i, bits_for_one_sum);
    }
};

inline void write_expected_triad(const Stream& stream, std::byte* to, const Setting& setting) {
    write_each<double>(stream, to, setting.count<double>(), ExpectedTriad{});
}

template <class Body>
Operation computing_triad(Body body, const Grid& grid, std::size_t count) {
    return [=](const Stream& stream, const Arrays& arrays) {
        launch(stream, grid, body, doubles(arrays[0]), static_cast<const double*>(doubles(arrays[1])),
               static_cast<const double*>(doubles(arrays[2])), count);
    };
}

// Two sources, or only the second of them.
template <unsigned bits>
void fill_with_numbers(const Stream& stream, const Arrays& arrays, const Setting& setting) {
    write_each<double>(stream, arrays.back(), setting.count<double>(), PayloadNumber{place_of_c, bits});
    if (arrays.size() > 2)
        write_each<double>(stream, arrays[1], setting.count<double>(), PayloadNumber{place_of_b, bits});
}

// The vectors after the last whole tile, and the elements after the last vector.
template <unsigned threads, unsigned width, class Block, class One, class Last>
constexpr void over_rest(const Block& block, std::size_t count, std::size_t whole, const One& one, const Last& last) {
    if (block.block == block.blocks - 1)
        for (auto i = whole + block.thread; i < count / width; i += threads) one(i);
    if (block.block == 0 && block.thread < count % width) last(count / width * width + block.thread);
}

// Calls `stored(i, loaded(i))` for single vectors, of which each thread has one if there are as many blocks as tiles,
// and `last(i)` for the elements that fill no vector. This needs so few registers that as many threads run as the GPU
// has room for: such a kernel was 4 % faster on an H200 (results/nvidia-h200/580.159.04/trials/plain_kernels.txt).
template <unsigned threads, unsigned width, class Block, class Loaded, class Stored, class Last>
constexpr void one_each(const Block& block, std::size_t count, const Loaded& loaded, const Stored& stored,
                        const Last& last) {
    const auto step = std::size_t{block.blocks} * threads;
#ifdef __CUDA_ARCH__
#pragma unroll 1
#endif
    for (auto i = std::size_t{block.block} * threads + block.thread; i < count / width; i += step) stored(i, loaded(i));
    if (block.block == 0 && block.thread < count % width) last(count / width * width + block.thread);
}

// Calls `stored(first, loaded(first))` for every complete group of `in_flight` vectors of a thread, `one(i)` for single
// vectors, and `last(i)` for the elements that fill no vector. A vector is a pair if nothing else is said.
template <unsigned threads, unsigned in_flight, unsigned width = 2, class Block, class Loaded, class Stored, class One,
          class Last>
constexpr void over_pairs(const Block& block, std::size_t count, const Loaded& loaded, const Stored& stored,
                          const One& one, const Last& last) {
    const auto tile = std::size_t{threads} * in_flight;
    const auto whole = count / width / tile * tile;
    over_tiles(block, tile, whole, loaded, stored);
    over_rest<threads, width>(block, count, whole, one, last);
}

// The same, but a block processes several adjacent tiles and loads the next tile before it stores the last one.
template <unsigned threads, unsigned in_flight, unsigned width, class Block, class Loaded, class Stored, class One,
          class Last>
constexpr void ahead_over_pairs(const Block& block, std::size_t count, unsigned tiles, const Loaded& loaded,
                                const Stored& stored, const One& one, const Last& last) {
    const auto tile = std::size_t{threads} * in_flight;
    const auto whole = count / width / tile * tile;
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
    over_rest<threads, width>(block, count, whole, one, last);
}

}  // namespace tocuda
