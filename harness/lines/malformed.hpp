// tocuda, Apache-2.0.
// What is wrong with a line, while it is read. It never leaves this room: outside, a line is a value or what is wrong with it.
#pragma once

#include <stdexcept>

namespace tocuda::json {

struct Malformed : std::runtime_error {
    using std::runtime_error::runtime_error;
};

}  // namespace tocuda::json
