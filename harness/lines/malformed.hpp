// tocuda, Apache-2.0.
// What is wrong with a line, while it is read. It never leaves this room: outside, a line is a value or what is wrong
// with it.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "lines/visible.hpp"

namespace tocuda::json {

struct Malformed : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// A name that were made visible would be another's; other texts are made so where they are read.
inline void refuse_control_characters(std::string_view text, std::string_view name) {
    if (has_control_characters(text)) throw Malformed("'" + std::string(name) + "' holds a control character");
}

}  // namespace tocuda::json
