// tocuda, Apache-2.0.
// Describes to people what took the place of a driver or GPU; files keep the entries of process/clean_environment.hpp.
#pragma once

#include <string>

namespace tocuda {

// "driver 13000 init 100": "a fake driver: version 13.0, cuInit answers 100 (no device)".
std::string stand_in_words(const std::string& entry);

}  // namespace tocuda
