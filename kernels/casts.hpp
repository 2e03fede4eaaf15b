// tocuda, Apache-2.0.
// Number types as parameter values, the supported casts, and their launch function.
#pragma once

#include <array>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

#include "kernels/number_types.hpp"

namespace tocuda {

class Stream;

enum class Number { float64, float32, float16, bfloat16, float8_e4m3, float8_e5m2 };
inline constexpr std::array<std::string_view, 6> number_words{"double",   "float",       "half",
                                                              "bfloat16", "float8_e4m3", "float8_e5m2"};
inline constexpr std::array<std::size_t, 6> number_bytes{8, 4, 2, 2, 1, 1};

constexpr std::string_view word(Number number) { return number_words[static_cast<std::size_t>(number)]; }
constexpr std::size_t bytes_each(Number number) { return number_bytes[static_cast<std::size_t>(number)]; }

template <class A, class B>
struct TypePair {
    using From = A;
    using To = B;
};

// Calls `act` with the types of this cast. Returns false if the cast is not supported: double casts only to float, all
// others are from or to float.
template <class Act>
constexpr bool for_cast(Number from, Number to, const Act& act) {
    const auto is = [&](Number a, Number b) { return from == a && to == b; };
    using enum Number;
    if (is(float64, float32)) return act(TypePair<double, float>{}), true;
    if (is(float32, float64)) return act(TypePair<float, double>{}), true;
    if (is(float32, float16)) return act(TypePair<float, Half>{}), true;
    if (is(float32, bfloat16)) return act(TypePair<float, BFloat16>{}), true;
    if (is(float32, float8_e4m3)) return act(TypePair<float, Float8E4M3>{}), true;
    if (is(float32, float8_e5m2)) return act(TypePair<float, Float8E5M2>{}), true;
    if (is(float16, float32)) return act(TypePair<Half, float>{}), true;
    if (is(bfloat16, float32)) return act(TypePair<BFloat16, float>{}), true;
    if (is(float8_e4m3, float32)) return act(TypePair<Float8E4M3, float>{}), true;
    if (is(float8_e5m2, float32)) return act(TypePair<Float8E5M2, float>{}), true;
    return false;
}

constexpr bool has_cast(Number from, Number to) {
    return for_cast(from, to, [](auto) {});
}

struct Numbers {
    Number from;
    Number to;
};

// Queues a cast of `count` numbers in at most `most_blocks` blocks (0: one per tile). Addresses must be multiples of
// the number size.
void launch_cast(const Stream& stream, Numbers types, std::byte* to, const std::byte* from, std::size_t count,
                 unsigned most_blocks = 0);

}  // namespace tocuda
