// tocuda, Apache-2.0.
// What people read instead of a flag that files and programs know by a word.
#pragma once

#include <string>

namespace tocuda {

// "the GPU is at its power limit" of "sw_power_cap". A flag that is a sentence already is returned unchanged.
std::string flag_in_words(const std::string& flag);

}  // namespace tocuda
