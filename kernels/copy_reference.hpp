// tocuda, Apache-2.0.
// The reference for copies, and the first difference between two results.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>

namespace tocuda {

inline void copy_reference(std::span<std::byte> to, std::span<const std::byte> from) {
    std::copy(from.begin(), from.end(), to.begin());
}

inline std::optional<std::size_t> first_difference(std::span<const std::byte> expected,
                                                   std::span<const std::byte> found) {
    const auto [end, other] = std::mismatch(expected.begin(), expected.end(), found.begin(), found.end());
    if (end == expected.end() && other == found.end()) return std::nullopt;
    return static_cast<std::size_t>(end - expected.begin());
}

}  // namespace tocuda
