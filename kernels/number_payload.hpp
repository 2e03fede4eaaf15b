// tocuda, Apache-2.0.
// The input numbers of the benchmarks: pseudo-random integers that depend only on their index and are small enough that
// all sums and products are exact. So a result is either right or wrong, whatever the order of the additions.
#pragma once

#include <cstddef>
#include <cstdint>

#include "measurement/payload.hpp"

namespace tocuda {

// In [-2^(bits-1), 2^(bits-1)).
constexpr double payload_number(std::size_t place, unsigned bits) {
    return static_cast<double>(static_cast<std::int64_t>(scrambled(place)) >> (64 - bits));
}

// The 32-bit word of the payload at this index.
constexpr std::uint32_t payload_word(std::size_t place) {
    return static_cast<std::uint32_t>(scrambled(place / 2) >> place % 2 * 32);
}

constexpr unsigned bits_for_sums_of_products = 12;  // 2^31 products stay below 2^53
constexpr unsigned bits_for_one_sum = 48;           // b + 3 c

}  // namespace tocuda
