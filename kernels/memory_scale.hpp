// tocuda, Apache-2.0.
// b = s c with doubles, like BabelStream's Mul: reference and kernel.
#pragma once

#include <span>

#include "kernels/memory_stream.hpp"

namespace tocuda {

// Reference.
inline void scale_reference(std::span<double> b, std::span<const double> c) {
    for (std::size_t i = 0; i < b.size(); ++i) b[i] = stream_scalar * c[i];
}

// Kernel.
struct Scale {
    static constexpr bool has_barrier = false;
    static constexpr unsigned threads = 256;
    static constexpr unsigned in_flight = 8;

    static constexpr Grid grid(std::size_t count) {
        return {.blocks = blocks_for(parts(count, 2 * threads * in_flight)),
                .threads = threads,
                .bytes_touched = 2 * count * sizeof(double)};
    }

    template <class Block>
    constexpr void operator()(Block& block, double* b, const double* c, std::size_t count) const {
        auto* to = reinterpret_cast<Pair*>(b);
        const auto* from = reinterpret_cast<const Pair*>(c);
        const auto several = [&](std::size_t first) {
            Pair held[in_flight];
            for (unsigned i = 0; i < in_flight; ++i) held[i] = load<Hint::no_allocate>(from + first + i * threads);
            for (unsigned i = 0; i < in_flight; ++i) to[first + i * threads] = scaled(held[i]);
        };
        over_pairs<threads, in_flight>(
            block, count, several, [&](std::size_t i) { to[i] = scaled(from[i]); },
            [&](std::size_t i) { b[i] = stream_scalar * c[i]; });
    }

private:
    static constexpr Pair scaled(const Pair& pair) { return {stream_scalar * pair.first, stream_scalar * pair.second}; }
};

}  // namespace tocuda
