// tocuda, Apache-2.0.
// b = s c with doubles, like BabelStream's Mul.
#include <array>

#include "kernels/doubles.hpp"

namespace tocuda::kernels::scale {
namespace {

struct Expected {
    constexpr double operator()(std::size_t i) const {
        return stream_scalar * payload_number(place_of_c + i, bits_for_one_sum);
    }
};

template <unsigned loads_in_flight>
struct Scale {
    static constexpr bool has_barrier = false;
    static constexpr unsigned threads = 256;
    static constexpr unsigned in_flight = loads_in_flight;

    static constexpr Grid grid(std::size_t count) {
        return grid_over(count, 2 * threads * in_flight, threads, 2 * count * sizeof(double));
    }

    template <class Block>
    constexpr void operator()(Block& block, double* b, const double* c, std::size_t count) const {
        auto* to = reinterpret_cast<Pair*>(b);
        const auto* from = reinterpret_cast<const Pair*>(c);
        const auto loaded = [&](std::size_t first) {
            std::array<Pair, in_flight> held;
            for (unsigned i = 0; i < in_flight; ++i) held[i] = load<Hint::no_allocate>(from + first + i * threads);
            return held;
        };
        const auto stored = [&](std::size_t first, const std::array<Pair, in_flight>& held) {
            for (unsigned i = 0; i < in_flight; ++i) to[first + i * threads] = scaled(held[i]);
        };
        over_pairs<threads, in_flight>(
            block, count, loaded, stored, [&](std::size_t i) { to[i] = scaled(from[i]); },
            [&](std::size_t i) { b[i] = stream_scalar * c[i]; });
    }

private:
    static constexpr Pair scaled(const Pair& pair) { return {stream_scalar * pair.first, stream_scalar * pair.second}; }
};

using Body = Scale<8>;

Operation operation(const Setting& setting) {
    return [count = setting.count<double>()](const Stream& stream, const Arrays& arrays) {
        launch(stream, Body::grid(count), Body{}, doubles(arrays[0]), static_cast<const double*>(doubles(arrays[1])),
               count);
    };
}

const RegisteredKernel registered{{.name = "memory/scale",
                                   .summary = "b = s c with doubles: BabelStream's Mul",
                                   .parameters = {{"cache", {"resident"}}},
                                   .full = {{"cache", {"resident", "cold"}}},
                                   .allowed = {{"bytes", {.least = sizeof(double)}}},
                                   .arrays = arrays_of_doubles<2>,
                                   .operation = operation,
                                   .fill = fill_with_numbers<bits_for_one_sum>,
                                   .expected = [](const Stream& stream, std::byte* to, const Setting& setting) {
                                       write_each<double>(stream, to, setting.count<double>(), Expected{});
                                   }}};

}  // namespace
}  // namespace tocuda::kernels::scale
