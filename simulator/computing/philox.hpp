// tocuda, Apache-2.0.
// The random numbers of cuRAND's Philox generator (curand_kernel.h, curand_uniform.h, curand_normal.h), computed on the
// host. Pure.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

namespace tocuda::computing {

using FourWords = std::array<std::uint32_t, 4>;

// Philox4x32-10 of Salmon and others, "Parallel random numbers: as easy as 1, 2, 3".
inline FourWords philox4x32(FourWords counter, std::array<std::uint32_t, 2> key) {
    for (int round = 0; round < 10; ++round) {
        const std::uint64_t first = std::uint64_t{0xd2511f53} * counter[0];
        const std::uint64_t third = std::uint64_t{0xcd9e8d57} * counter[2];
        counter = {static_cast<std::uint32_t>(third >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(third),
                   static_cast<std::uint32_t>(first >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(first)};
        key[0] += 0x9e3779b9;
        key[1] += 0xbb67ae85;
    }
    return counter;
}

// What the threads of one kernel draw, each after curand_init(seed, thread, offset).
struct Philox {
    std::uint64_t seed = 0;
    std::uint64_t offset = 0;  // in words; LibTorch's are multiples of four

    // The four words of a thread's call number `call`.
    FourWords operator()(std::uint64_t thread, std::uint64_t call) const {
        const std::uint64_t position = offset / 4 + call;
        return philox4x32({static_cast<std::uint32_t>(position), static_cast<std::uint32_t>(position >> 32),
                           static_cast<std::uint32_t>(thread), static_cast<std::uint32_t>(thread >> 32)},
                          {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)});
    }
    // The word that a thread's curand() gives when called for the (index + 1)th time.
    std::uint32_t word(std::uint64_t thread, std::uint64_t index) const {
        return (*this)(thread, index / 4)[index % 4];
    }
};

// What one call gives: words of 32 or 64 bits, or numbers of one distribution.
struct Words {
    static std::array<std::uint32_t, 4> from(const FourWords& words) { return words; }
};

struct LongWords {
    static std::array<std::uint64_t, 2> from(const FourWords& words) {
        return {std::uint64_t{words[0]} << 32 | words[1], std::uint64_t{words[2]} << 32 | words[3]};
    }
};

// Above 0, up to and including 1.
struct Uniform {
    static float one(std::uint32_t word) { return static_cast<float>(word) * 0x1p-32F + 0x1p-33F; }
    static std::array<float, 4> from(const FourWords& words) {
        return {one(words[0]), one(words[1]), one(words[2]), one(words[3])};
    }
};

struct UniformDouble {
    static std::uint64_t bits(std::uint32_t low, std::uint32_t high) { return low ^ std::uint64_t{high} << 21; }
    static double one(std::uint32_t low, std::uint32_t high) {
        return static_cast<double>(bits(low, high)) * 0x1p-53 + 0x1p-54;
    }
    static std::array<double, 2> from(const FourWords& words) {
        return {one(words[0], words[1]), one(words[2], words[3])};
    }
};

// Box and Muller's transformation. A GPU takes a sine of lower precision, so its numbers differ by up to some 1e-6.
struct Normal {
    static std::pair<float, float> two(std::uint32_t first, std::uint32_t second) {
        constexpr float turn = 0x1p-32F * 6.2831855F;
        const float angle = std::fma(static_cast<float>(second), turn, turn / 2);
        const float radius = std::sqrt(-2.0F * std::log(Uniform::one(first)));
        return {radius * std::sin(angle), radius * std::cos(angle)};
    }
    static std::array<float, 4> from(const FourWords& words) {
        const auto low = two(words[0], words[1]);
        const auto high = two(words[2], words[3]);
        return {low.first, low.second, high.first, high.second};
    }
};

struct NormalDouble {
    static std::array<double, 2> from(const FourWords& words) {
        const double radius = std::sqrt(-2.0 * std::log(UniformDouble::one(words[0], words[1])));
        const double half_turns = static_cast<double>(UniformDouble::bits(words[2], words[3])) * 0x1p-52 + 0x1p-53;
        const double angle = half_turns * 3.1415926535897932;
        return {radius * std::sin(angle), radius * std::cos(angle)};
    }
};

}  // namespace tocuda::computing
