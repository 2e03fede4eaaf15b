// tocuda, Apache-2.0.
// a = b + s c with doubles, like BabelStream's Triad: reference and kernel.
#pragma once

#include <array>
#include <span>

#include "kernels/memory_stream.hpp"

namespace tocuda {

// Reference.
inline void triad_reference(std::span<double> a, std::span<const double> b, std::span<const double> c) {
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = b[i] + stream_scalar * c[i];
}

constexpr Pair triad_of(const Pair& b, const Pair& c) {
    return {b.first + stream_scalar * c.first, b.second + stream_scalar * c.second};
}

struct TriadShape {
    unsigned in_flight = 4;  // loads per thread from each of the two arrays before its first store
    unsigned tiles = 1;      // per block; with several, the next is loaded before the last is stored
    Hint hint = Hint::plain;

    bool operator==(const TriadShape&) const = default;
};

// The compiled shapes, which are the allowed parameter values.
inline constexpr std::array triad_loads{2U, 4U};
inline constexpr std::array triad_tiles{1U, 2U, 4U};
inline constexpr std::array triad_hints{Hint::plain, Hint::streaming_store};

// Kernel. Even with one tile per block, the branch between the loads and the computation keeps the compiler from using
// the first value before it issues the last load, which would save registers but leave only half of the loads in
// flight.
template <unsigned loads, Hint hint = Hint::plain>
struct Triad {
    static constexpr bool has_barrier = false;
    static constexpr unsigned threads = 256;
    static constexpr unsigned in_flight = loads;
    unsigned tiles = 1;  // per block

    constexpr Grid grid(std::size_t count) const {
        return {.blocks = blocks_for(parts(count, std::size_t{2} * threads * in_flight * tiles)),
                .threads = threads,
                .bytes_touched = 3 * count * sizeof(double)};
    }

    template <class Block>
    constexpr void operator()(Block& block, double* a, const double* b, const double* c, std::size_t count) const {
        auto* to = reinterpret_cast<Pair*>(a);
        const auto* left = reinterpret_cast<const Pair*>(b);
        const auto* right = reinterpret_cast<const Pair*>(c);
        const auto loaded = [&](std::size_t first) {
            Held held;
            for (unsigned i = 0; i < in_flight; ++i) held.left[i] = load<Hint::no_allocate>(left + first + i * threads);
            for (unsigned i = 0; i < in_flight; ++i)
                held.right[i] = load<Hint::no_allocate>(right + first + i * threads);
            return held;
        };
        const auto stored = [&](std::size_t first, const Held& held) {
            for (unsigned i = 0; i < in_flight; ++i)
                store<hint>(to + first + i * threads, triad_of(held.left[i], held.right[i]));
        };
        const auto one = [&](std::size_t i) { to[i] = triad_of(left[i], right[i]); };
        const auto last = [&](std::size_t i) { a[i] = b[i] + stream_scalar * c[i]; };
        ahead_over_pairs<threads, in_flight>(block, count, tiles, loaded, stored, one, last);
    }

private:
    struct Held {
        Pair left[in_flight];
        Pair right[in_flight];
    };
};

}  // namespace tocuda
