// tocuda, Apache-2.0.
// Hints as values of a parameter.
#pragma once

#include <stdexcept>
#include <string>

#include "kernels/memory_access.hpp"
#include "model/value.hpp"

namespace tocuda {

inline Hint hint_of(const std::string& word) {
    if (word == "plain") return Hint::plain;
    if (word == "no_allocate") return Hint::no_allocate;
    if (word == "streaming") return Hint::streaming;
    throw std::invalid_argument("'" + word + "' is no hint: plain, no_allocate or streaming");
}

inline Values every_hint() { return {"plain", "no_allocate", "streaming"}; }

}  // namespace tocuda
