// tocuda, Apache-2.0.
// The floating-point types of tensors and their conversions, which go through float and round to nearest, ties to even,
// like PyTorch. Values that are too large become infinity, or NaN if the type has no infinity (e4m3). There is one NaN
// pattern: all ones below the sign.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

namespace tocuda {

// A number of 16 or 8 bits; the parameters describe its format.
template <class Bits, unsigned exponent, unsigned mantissa, bool infinite>
struct SmallFloat {
    static constexpr unsigned exponent_bits = exponent;
    static constexpr unsigned mantissa_bits = mantissa;
    static constexpr bool has_infinity = infinite;
    Bits bits;
};

using Half = SmallFloat<std::uint16_t, 5, 10, true>;
using BFloat16 = SmallFloat<std::uint16_t, 8, 7, true>;
using Float8E4M3 = SmallFloat<std::uint8_t, 4, 3, false>;
using Float8E5M2 = SmallFloat<std::uint8_t, 5, 2, true>;

// Bit positions and special patterns of a format.
template <class Small>
struct BitsOf {
    static constexpr unsigned width = 8 * sizeof(Small);
    static constexpr std::uint32_t no_number = (std::uint32_t{1} << (width - 1)) - 1;
    // The exponent bits are all ones.
    static constexpr std::uint32_t infinity = no_number >> Small::mantissa_bits << Small::mantissa_bits;
    static constexpr std::uint32_t beyond = Small::has_infinity ? infinity : no_number;  // if a value is too large
    static constexpr unsigned shift = 23 - Small::mantissa_bits;
    static constexpr unsigned bias = (1U << (Small::exponent_bits - 1)) - 1;
    static constexpr std::uint32_t rebiased = 127 - bias;  // difference between its exponent bias and that of float
};

inline constexpr std::uint32_t float_infinity = 0x7f800000;
inline constexpr std::uint32_t float_no_number = 0x7fffffff;

// Converts with integer operations only, on GPU and CPU.
template <class Small>
constexpr Small narrowed_by_bits(float value) {
    using Of = BitsOf<Small>;
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const auto magnitude = bits & float_no_number;
    const auto half = (std::uint32_t{1} << (Of::shift - 1)) - 1;
    // NaN is above all values that fit, so types without infinity need no test for it.
    auto result =
        ((magnitude + half + (magnitude >> Of::shift & 1)) >> Of::shift) - (Of::rebiased << Small::mantissa_bits);
    // Not std::min, because a static class constant has no address on a GPU.
    result = result < Of::beyond ? result : Of::beyond;
    if constexpr (Of::bias != 127) {
        // Adding a number whose last bit has the weight of a subnormal result's last bit rounds correctly.
        constexpr std::uint32_t large = (127 + 24 - Of::bias - Small::mantissa_bits) << 23;
        const auto added =
            std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + std::bit_cast<float>(large)) - large;
        result = magnitude < (Of::rebiased + 1) << 23 ? added : result;
    }
    if constexpr (Small::has_infinity) result = magnitude > float_infinity ? Of::no_number : result;
    return {static_cast<decltype(Small::bits)>(result | bits >> 31 << (Of::width - 1))};
}

template <class Small>
constexpr float widened_by_bits(Small value) {
    using Of = BitsOf<Small>;
    const std::uint32_t bits = value.bits;
    const auto sign = bits >> (Of::width - 1) << 31;
    const auto magnitude = bits & Of::no_number;
    auto result = magnitude << Of::shift;
    // A subnormal small number is a subnormal float here; the multiplication scales both kinds exactly.
    if constexpr (Of::bias != 127)
        result = std::bit_cast<std::uint32_t>(std::bit_cast<float>(result) *
                                              std::bit_cast<float>((127 + Of::rebiased) << 23));
    if constexpr (Small::has_infinity) result = magnitude >= Of::infinity ? float_infinity : result;
    result = magnitude > (Small::has_infinity ? Of::infinity : Of::no_number - 1) ? float_no_number : result;
    return std::bit_cast<float>(result | sign);
}

// Uses the GPU's conversion instruction if there is one.
template <class Small>
constexpr Small narrowed(float value) {
#ifdef __CUDA_ARCH__
    if constexpr (std::is_same_v<Small, Half>) {
        Half result;
        asm("cvt.rn.f16.f32 %0, %1;" : "=h"(result.bits) : "f"(value));
        return result;
    }
#if __CUDA_ARCH__ >= 800
    if constexpr (std::is_same_v<Small, BFloat16>) {
        BFloat16 result;
        asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(result.bits) : "f"(value));
        return result;
    }
#endif
#endif
    return narrowed_by_bits<Small>(value);
}

// Two numbers of 8 bits, the second in the high byte, as the GPU's instruction (compute capability 8.9) makes them:
// what is too large becomes the largest finite number, and NaN has no sign.
template <class Small>
constexpr std::uint16_t saturated_pair(float first, float second) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 890
    std::uint16_t both;
    if constexpr (std::is_same_v<Small, Float8E4M3>)
        asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(both) : "f"(second), "f"(first));
    else asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;" : "=h"(both) : "f"(second), "f"(first));
    return both;
#else
    using Of = BitsOf<Small>;
    const auto saturated = [](float value) {
        if (value != value) return Of::no_number;
        const std::uint32_t bits = narrowed_by_bits<Small>(value).bits;
        return (bits & Of::no_number) < Of::beyond ? bits : (bits & ~Of::no_number) | (Of::beyond - 1);
    };
    return static_cast<std::uint16_t>(saturated(first) | saturated(second) << 8);
#endif
}

// Four numbers of 8 bits as tensors have them, the first in the lowest byte. The pattern after that of the largest
// finite number is what a larger one becomes.
template <class Small>
constexpr std::uint32_t narrowed_four(const float (&each)[4]) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 890
    std::uint32_t four = 0;
    for (unsigned i = 0; i < 4; ++i) four |= std::uint32_t{narrowed_by_bits<Small>(each[i]).bits} << 8 * i;
    return four;
#else
    using Of = BitsOf<Small>;
    // Half-way to the next number, which is rounded to the even pattern.
    constexpr auto largest = Of::beyond - 1;
    constexpr auto too_large = std::bit_cast<float>(((largest + (Of::rebiased << Small::mantissa_bits)) << Of::shift) +
                                                    (1U << (Of::shift - 1)) + (largest % 2 == 0 ? 1 : 0));
    auto four = saturated_pair<Small>(each[0], each[1]) | std::uint32_t{saturated_pair<Small>(each[2], each[3])} << 16;
    std::uint32_t signs = 0;
    for (unsigned i = 0; i < 4; ++i) {
        if (__builtin_fabsf(each[i]) >= too_large) four += 1U << 8 * i;
        signs |= std::bit_cast<std::uint32_t>(each[i]) >> 24 << 8 * i;
    }
    return four | (signs & 0x80808080);
#endif
}

template <class Small>
constexpr float widened(Small value) {
#ifdef __CUDA_ARCH__
    if constexpr (std::is_same_v<Small, Half>) {
        float result;
        asm("cvt.f32.f16 %0, %1;" : "=f"(result) : "h"(value.bits));
        return result;
    }
#endif
    return widened_by_bits(value);
}

// Double to a small type goes through float and rounds twice, like PyTorch.
template <class To, class From>
constexpr To converted(From value) {
    if constexpr (std::is_floating_point_v<From> && std::is_floating_point_v<To>) return static_cast<To>(value);
    else if constexpr (std::is_floating_point_v<From>) return narrowed<To>(static_cast<float>(value));
    else return converted<To>(widened(value));
}

}  // namespace tocuda
