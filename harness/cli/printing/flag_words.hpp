// tocuda, Apache-2.0.
// What people read instead of a flag that files and programs know by a word.
#pragma once

#include <string>

#include "model/row_flag.hpp"

namespace tocuda {

// "the GPU was at its power limit" of sw_power_cap. A remark is returned unchanged.
std::string flag_in_words(const Flag& flag);

}  // namespace tocuda
