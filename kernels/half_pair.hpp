// tocuda, Apache-2.0.
// Two half numbers in one word, as GPUs add them, also atomically.
#pragma once

#include <cstdint>

#include "kernels/number_types.hpp"

namespace tocuda {

struct HalfPair {
    std::uint32_t bits = 0;

    static constexpr HalfPair of(float low, float high) {
        return {narrowed_by_bits<Half>(low).bits | std::uint32_t{narrowed_by_bits<Half>(high).bits} << 16};
    }
    constexpr float low() const { return widened_by_bits(Half{static_cast<std::uint16_t>(bits)}); }
    constexpr float high() const { return widened_by_bits(Half{static_cast<std::uint16_t>(bits >> 16)}); }

    // Right to the last bit: the sum of two half numbers as a float is rounded only where no half number could show it.
    friend constexpr HalfPair operator+(const HalfPair& one, const HalfPair& other) {
        return of(one.low() + other.low(), one.high() + other.high());
    }
    bool operator==(const HalfPair&) const = default;

#ifdef __CUDACC__
    // Atomically; returns what was there.
    __device__ HalfPair added_to(HalfPair* to) const {
        HalfPair before;
        asm volatile("atom.global.add.noftz.f16x2 %0, [%1], %2;" : "=r"(before.bits) : "l"(to), "r"(bits) : "memory");
        return before;
    }
    // The same without an answer.
    __device__ void reduced_to(HalfPair* to) const {
        asm volatile("red.global.add.noftz.f16x2 [%0], %1;" ::"l"(to), "r"(bits) : "memory");
    }
#endif
};

}  // namespace tocuda
