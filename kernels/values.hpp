// tocuda, Apache-2.0.
// Values of the parameters of kernels.
#pragma once

#include <array>
#include <cstdint>
#include <stdexcept>
#include <string>

#include "kernels/memory_access.hpp"
#include "measurement/parameter.hpp"

namespace tocuda {

// Sizes of the kernels with performance targets, of all others, and of a full measurement.
inline Values headline_bytes() {
    return {std::int64_t{1} << 20, std::int64_t{64} << 20, std::int64_t{1} << 30, std::int64_t{4} << 30};
}
inline Values default_bytes() { return {std::int64_t{64} << 20, std::int64_t{1} << 30}; }
inline Values full_bytes() { return {std::int64_t{64} << 20, std::int64_t{1} << 30, std::int64_t{4} << 30}; }

inline Hint hint_of(const std::string& word) {
    if (word == "plain") return Hint::plain;
    if (word == "streaming_store") return Hint::streaming_store;
    if (word == "streaming") return Hint::streaming;
    throw std::invalid_argument("'" + word + "' is not a hint: plain, streaming_store or streaming");
}

template <class Number, std::size_t count>
Values values_of(const std::array<Number, count>& each) {
    return Values(each.begin(), each.end());
}

}  // namespace tocuda
