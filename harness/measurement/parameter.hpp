// tocuda, Apache-2.0.
// Typed access to the values of a parameter set that was checked against the benchmark's parameters before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "model/benchmark.hpp"

namespace tocuda {

inline std::int64_t whole(const Parameters& set, const std::string& name) {
    return std::get<std::int64_t>(set.at(name).held);
}
inline std::size_t bytes_of(const Parameters& set) { return static_cast<std::size_t>(whole(set, "bytes")); }
inline const std::string& text(const Parameters& set, const std::string& name) {
    return std::get<std::string>(set.at(name).held);
}

}  // namespace tocuda
