// tocuda, Apache-2.0.
// The exception for a malformed line. It never leaves this room: other rooms get a value or a message (Parsed).
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "lines/visible.hpp"

namespace tocuda::json {

struct Malformed : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// For names: replacing control characters could turn one name into another. In other texts they are replaced.
inline void refuse_control_characters(std::string_view text, std::string_view name) {
    if (has_control_characters(text)) throw Malformed("'" + std::string(name) + "' contains a control character");
}

}  // namespace tocuda::json
