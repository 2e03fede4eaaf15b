// tocuda, Apache-2.0.
// The sizes at which transfers are measured.
#pragma once

#include <cstdint>

#include "model/value.hpp"

namespace tocuda {

inline constexpr std::int64_t kib = 1024;
inline constexpr std::int64_t mib = 1024 * kib;
inline constexpr std::int64_t gib = 1024 * mib;

// From 4 bytes up to `most`.
inline Values powers_of_four(std::int64_t most) {
    Values values;
    for (std::int64_t bytes = 4; bytes <= most; bytes *= 4) values.emplace_back(bytes);
    return values;
}

inline Values few_sizes() { return {4 * kib, mib, 64 * mib, gib}; }
inline Values all_sizes() { return powers_of_four(4 * gib); }
inline Values quick_sizes() { return {4 * kib, mib, 64 * mib}; }

}  // namespace tocuda
