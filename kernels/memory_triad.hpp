// tocuda, Apache-2.0.
// a = b + s c with doubles, as BabelStream's Triad does: reference and kernel.
#pragma once

#include <span>

#include "kernels/memory_stream.hpp"

namespace tocuda {

// Reference.
inline void triad_reference(std::span<double> a, std::span<const double> b, std::span<const double> c) {
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = b[i] + stream_scalar * c[i];
}

// Kernel.
template <unsigned loads>
struct Triad {
    static constexpr bool has_barrier = false;
    static constexpr unsigned threads = 256;
    static constexpr unsigned in_flight = loads;  // of each of the two arrays

    static constexpr Grid grid(std::size_t count) {
        return {.blocks = blocks_for(parts(count, 2 * threads * in_flight)), .threads = threads, .bytes_touched = 3 * count * sizeof(double)};
    }

    template <class Block>
    constexpr void operator()(Block& block, double* a, const double* b, const double* c, std::size_t count) const {
        auto* to = reinterpret_cast<Pair*>(a);
        const auto* left = reinterpret_cast<const Pair*>(b);
        const auto* right = reinterpret_cast<const Pair*>(c);
        const auto several = [&](std::size_t first) {
            Pair held[in_flight];
            Pair other[in_flight];
            for (unsigned i = 0; i < in_flight; ++i) held[i] = load<Hint::no_allocate>(left + first + i * threads);
            for (unsigned i = 0; i < in_flight; ++i) other[i] = load<Hint::no_allocate>(right + first + i * threads);
            for (unsigned i = 0; i < in_flight; ++i) to[first + i * threads] = sum(held[i], other[i]);
        };
        over_pairs<threads, in_flight>(block, count, several, [&](std::size_t i) { to[i] = sum(left[i], right[i]); },
                                       [&](std::size_t i) { a[i] = b[i] + stream_scalar * c[i]; });
    }

private:
    static constexpr Pair sum(const Pair& b, const Pair& c) {
        return {b.first + stream_scalar * c.first, b.second + stream_scalar * c.second};
    }
};

}  // namespace tocuda
