// tocuda, Apache-2.0.
// The sum of a[i] b[i] with doubles, like BabelStream's Dot: reference and kernel. Each block stores its partial sum.
#pragma once

#include <span>

#include "kernels/block_sum.hpp"
#include "kernels/memory_stream.hpp"

namespace tocuda {

// Reference.
inline double dot_reference(std::span<const double> a, std::span<const double> b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
}

// Kernel.
struct Dot {
    static constexpr bool has_barrier = true;
    static constexpr unsigned threads = 256;
    static constexpr unsigned in_flight = 4;  // of each of the two arrays

    static constexpr Grid grid(std::size_t count, unsigned multiprocessors) {
        return {.blocks = reduction_blocks(parts(count, 2 * threads * in_flight), multiprocessors),
                .threads = threads,
                .shared_bytes = threads * sizeof(double),
                .bytes_touched = 2 * count * sizeof(double)};
    }

    template <class Block>
    constexpr void operator()(Block& block, double* sums, const double* a, const double* b, std::size_t count) const {
        const auto* left = reinterpret_cast<const Pair*>(a);
        const auto* right = reinterpret_cast<const Pair*>(b);
        double sum = 0;
        const auto several = [&](std::size_t first) {
            Pair held[in_flight];
            Pair other[in_flight];
            for (unsigned i = 0; i < in_flight; ++i) held[i] = load<Hint::no_allocate>(left + first + i * threads);
            for (unsigned i = 0; i < in_flight; ++i) other[i] = load<Hint::no_allocate>(right + first + i * threads);
            for (unsigned i = 0; i < in_flight; ++i) sum += product(held[i], other[i]);
        };
        over_pairs<threads, in_flight>(
            block, count, several, [&](std::size_t i) { sum += product(left[i], right[i]); },
            [&](std::size_t i) { sum += a[i] * b[i]; });
        leave_of_block<threads>(block, sums, sum, [](double one, double other) { return one + other; });
    }

private:
    static constexpr double product(const Pair& a, const Pair& b) { return a.first * b.first + a.second * b.second; }
};

}  // namespace tocuda
