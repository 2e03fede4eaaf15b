// tocuda, Apache-2.0.
// Typed access to the values of a parameter set whose names and types were checked before, and checks of the values,
// which return why the set is skipped, or "".
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "model/benchmark.hpp"
#include "model/evidence.hpp"

namespace tocuda {

inline std::int64_t whole(const Parameters& set, const std::string& name) {
    return std::get<std::int64_t>(set.at(name).held);
}
inline std::size_t bytes_of(const Parameters& set) { return static_cast<std::size_t>(whole(set, "bytes")); }
inline const std::string& text(const Parameters& set, const std::string& name) {
    return std::get<std::string>(set.at(name).held);
}

// The value must be in this range.
inline std::string why_not_between(const Parameters& set, const std::string& name, std::int64_t least,
                                   std::int64_t most) {
    const auto value = whole(set, name);
    if (value >= least && value <= most) return "";
    return name + " must be between " + std::to_string(least) + " and " + std::to_string(most) + ", not " +
           std::to_string(value);
}

// The sizes at which transfers are measured.
inline constexpr std::int64_t kib = 1024;
inline constexpr std::int64_t mib = 1024 * kib;
inline constexpr std::int64_t gib = 1024 * mib;

// From 4 bytes up to `most`.
inline Values powers_of_four(std::int64_t most) {
    Values values;
    for (std::int64_t bytes = 4; bytes <= most; bytes *= 4) values.emplace_back(bytes);
    return values;
}

inline Values powers_of_two(std::int64_t least, std::int64_t most) {
    Values values;
    for (auto value = least; value <= most; value *= 2) values.emplace_back(value);
    return values;
}

inline Values few_sizes() { return {4 * kib, mib, 64 * mib, gib}; }
inline Values default_sizes() { return {4 * kib, mib, 64 * mib, 256 * mib}; }
inline Values all_sizes() { return powers_of_four(4 * gib); }
inline Values quick_sizes() { return {4 * kib, mib, 64 * mib}; }

}  // namespace tocuda
