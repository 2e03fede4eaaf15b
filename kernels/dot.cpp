// tocuda, Apache-2.0.
// The sum of a[i] b[i] with doubles, like BabelStream's Dot. Each block stores its partial sum.
#include <functional>

#include "kernels/block_sum.hpp"
#include "kernels/doubles.hpp"

namespace tocuda::kernels::dot {
namespace {

// The reference.
double expected_dot(std::size_t count) {
    return joined_on_host(count, std::plus<>(), [](std::size_t first, std::size_t some) {
        double sum = 0;
        for (auto i = first; i < first + some; ++i)
            sum += payload_number(place_of_b + i, bits_for_sums_of_products) *
                   payload_number(place_of_c + i, bits_for_sums_of_products);
        return sum;
    });
}

template <unsigned loads_in_flight>  // from each of the two arrays
struct Dot {
    static constexpr bool has_barrier = true;
    static constexpr unsigned threads = 256;
    static constexpr unsigned in_flight = loads_in_flight;

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
        const auto loaded = [&](std::size_t first) {
            Held held;
            for (unsigned i = 0; i < in_flight; ++i) held.left[i] = load<Hint::no_allocate>(left + first + i * threads);
            for (unsigned i = 0; i < in_flight; ++i)
                held.right[i] = load<Hint::no_allocate>(right + first + i * threads);
            return held;
        };
        const auto added = [&](std::size_t, const Held& held) {
            for (unsigned i = 0; i < in_flight; ++i) sum += product(held.left[i], held.right[i]);
        };
        over_pairs<threads, in_flight>(
            block, count, loaded, added, [&](std::size_t i) { sum += product(left[i], right[i]); },
            [&](std::size_t i) { sum += a[i] * b[i]; });
        leave_of_block<threads>(block, sums, sum, [](double one, double other) { return one + other; });
    }

private:
    struct Held {
        Pair left[in_flight];
        Pair right[in_flight];
    };
    static constexpr double product(const Pair& a, const Pair& b) { return a.first * b.first + a.second * b.second; }
};

using Body = Dot<4>;

Grid grid_of(const Setting& setting) { return Body::grid(setting.count<double>(), setting.gpu.multiprocessors); }

WhatIsWrong wrong(const Setting& setting) {
    return [=](const Stream& stream, const Arrays& arrays) -> std::string {
        const auto found = sum_of_blocks<double>(stream, arrays[0], grid_of(setting).blocks, std::plus<>());
        const auto expected = expected_dot(setting.count<double>());
        return found == expected ? "" : "the sum is " + std::to_string(found) + ", not " + std::to_string(expected);
    };
}

Operation operation(const Setting& setting) {
    return [grid = grid_of(setting), count = setting.count<double>()](const Stream& stream, const Arrays& arrays) {
        launch(stream, grid, Body{}, doubles(arrays[0]), static_cast<const double*>(doubles(arrays[1])),
               static_cast<const double*>(doubles(arrays[2])), count);
    };
}

const RegisteredKernel registered{
    {.name = "memory/dot",
     .summary = "the sum of a b with doubles in arrays of `bytes` each: BabelStream's Dot",
     .parameters = {{"cache", {"resident"}}},
     .full = {{"cache", {"resident", "cold"}}},
     .allowed = {{"bytes", {.least = sizeof(double)}}},
     .arrays = [](const Setting& setting) -> ArraySizes {
         const auto bytes = setting.count<double>() * sizeof(double);
         return {
             .bytes = {grid_of(setting).blocks * sizeof(double), bytes, bytes}, .one_way = bytes, .touched = 2 * bytes};
     },
     .operation = operation,
     .fill = fill_with_numbers<bits_for_sums_of_products>,
     .wrong = wrong,
     .compared = "the sum, which is exact"}};

}  // namespace
}  // namespace tocuda::kernels::dot
