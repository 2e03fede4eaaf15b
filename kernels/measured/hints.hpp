// tocuda, Apache-2.0.
// Cache hints as parameter values.
#pragma once

#include <stdexcept>
#include <string>

#include "kernels/memory_access.hpp"
#include "model/value.hpp"

namespace tocuda {

inline Hint hint_of(const std::string& word) {
    if (word == "plain") return Hint::plain;
    if (word == "streaming_store") return Hint::streaming_store;
    if (word == "streaming") return Hint::streaming;
    throw std::invalid_argument("'" + word + "' is not a hint: plain, streaming_store or streaming");
}

// streaming_store: stored data is evicted first; streaming: loaded data as well.
inline Values every_hint() { return {"plain", "streaming_store", "streaming"}; }

}  // namespace tocuda
