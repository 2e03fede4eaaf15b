// tocuda, Apache-2.0.
// What is wrong with a line, while it is read. It never leaves this room: outside, a line is a value or what is wrong with it.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace tocuda::json {

struct Malformed : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// A name goes to a terminal as it stands: what would move its cursor or dye its text is no part of one.
inline void refuse_control_characters(std::string_view text, std::string_view name) {
    for (const char letter : text)
        if (static_cast<unsigned char>(letter) < 0x20 || letter == 0x7f) throw Malformed("'" + std::string(name) + "' holds a control character");
}

}  // namespace tocuda::json
