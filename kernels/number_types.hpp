// tocuda, Apache-2.0.
// The floating-point numbers that tensors are made of, and how one becomes another: through float, rounded to the
// nearest, ties to even, as PyTorch converts. What is too large becomes infinite, or, where there is no infinity
// (e4m3), no number. One pattern stands for every "no number": all ones below the sign.
#pragma once

#include <bit>
#include <cstdint>
#include <type_traits>

namespace tocuda {

// Sixteen bits or eight: what they mean, as the shape of their bits.
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

// Where the exponent, the sign and the largest stand.
template <class Small>
struct BitsOf {
    static constexpr unsigned width = 8 * sizeof(Small);
    static constexpr std::uint32_t no_number = (std::uint32_t{1} << (width - 1)) - 1;
    static constexpr std::uint32_t infinity = no_number >> Small::mantissa_bits
                                                               << Small::mantissa_bits;  // an exponent of ones
    static constexpr std::uint32_t beyond = Small::has_infinity ? infinity : no_number;  // what is too large becomes
    static constexpr unsigned shift = 23 - Small::mantissa_bits;
    static constexpr unsigned bias = (1U << (Small::exponent_bits - 1)) - 1;
    static constexpr std::uint32_t rebiased = 127 - bias;  // between its exponent and a float's
};

inline constexpr std::uint32_t float_infinity = 0x7f800000;
inline constexpr std::uint32_t float_no_number = 0x7fffffff;

// By its bits alone, on a GPU and on the CPU.
template <class Small>
constexpr Small narrowed_by_bits(float value) {
    using Of = BitsOf<Small>;
    const auto bits = std::bit_cast<std::uint32_t>(value);
    const auto magnitude = bits & float_no_number;
    const auto half = (std::uint32_t{1} << (Of::shift - 1)) - 1;
    // A float that is not a number lies above all that fit, so it need not be asked for where there is no infinity.
    auto result =
        ((magnitude + half + (magnitude >> Of::shift & 1)) >> Of::shift) - (Of::rebiased << Small::mantissa_bits);
    result =
        result < Of::beyond ? result : Of::beyond;  // not by std::min: a constant of a class has no address on a GPU
    if constexpr (Of::bias != 127) {
        // Added to a number of which the last bit is as much as that of a subnormal result, the addition itself rounds.
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
    // A subnormal among them is one among floats too: the product puts both right, exactly.
    if constexpr (Of::bias != 127)
        result = std::bit_cast<std::uint32_t>(std::bit_cast<float>(result) *
                                              std::bit_cast<float>((127 + Of::rebiased) << 23));
    if constexpr (Small::has_infinity) result = magnitude >= Of::infinity ? float_infinity : result;
    result = magnitude > (Small::has_infinity ? Of::infinity : Of::no_number - 1) ? float_no_number : result;
    return std::bit_cast<float>(result | sign);
}

// As the GPU does it where it has an instruction for it.
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

// A double becomes a small number in two steps, each of which rounds: so does PyTorch.
template <class To, class From>
constexpr To converted(From value) {
    if constexpr (std::is_floating_point_v<From> && std::is_floating_point_v<To>) return static_cast<To>(value);
    else if constexpr (std::is_floating_point_v<From>) return narrowed<To>(static_cast<float>(value));
    else return converted<To>(widened(value));
}

}  // namespace tocuda
