// tocuda, Apache-2.0.
// The numbers that are computed with: whole, pseudo-random, known from their place, and so small that every sum and
// product of them is exact. So a result is right or wrong, in whatever order a GPU adds.
#pragma once

#include <cstddef>
#include <cstdint>

#include "measurement/payload.hpp"

namespace tocuda {

// In [-2^(bits-1), 2^(bits-1)).
constexpr double payload_number(std::size_t place, unsigned bits) {
    return static_cast<double>(static_cast<std::int64_t>(scrambled(place)) >> (64 - bits));
}

constexpr unsigned bits_for_sums_of_products = 12;  // 2^31 products of two stay below 2^53
constexpr unsigned bits_for_one_sum = 48;           // b + 3 c

}  // namespace tocuda
