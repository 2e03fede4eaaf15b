// tocuda, Apache-2.0.
// Reads any bytes as a result file, and says what of that is not as it must be whatever the bytes are.
#pragma once

#include <string>
#include <string_view>

namespace tocuda {

// The first byte chooses how it is read; the rest is the file. What is not so, or nothing.
std::string wrong_with_reading(std::string_view bytes);

}  // namespace tocuda
