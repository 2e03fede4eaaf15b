// tocuda, Apache-2.0.
// Reads arbitrary bytes as a result file and checks the invariants that hold for any input.
#pragma once

#include <string>
#include <string_view>

namespace tocuda {

// The first byte selects the reading mode; the rest is the file. Returns the violated invariant, or "".
std::string wrong_with_reading(std::string_view bytes);

}  // namespace tocuda
