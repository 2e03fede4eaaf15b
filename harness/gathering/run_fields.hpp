// tocuda, Apache-2.0.
// Everything that a run line records of what may have an effect, as texts by name. What differs from start to start anyhow is none of it: run, time,
// session, boot, driver load, seed, command, a GPU's index, and what its link does at the moment.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "model/machine.hpp"

namespace tocuda {

using Fields = std::map<std::string, std::string, std::less<>>;  // what was not recorded is absent

Fields fields_of(const RunLine& run);  // without the GPUs'
Fields fields_of(const Gpu& gpu);      // "power_limit_w": "700"

// The part that a field belongs to: driver, cuda, libtorch, suite, machine, gpu, protocol, device.
std::string part_of(std::string_view field);

// As people read it: "power limit", "GPU's name".
std::string field_words(std::string_view field);
std::string short_value(std::string_view field, const std::string& value);
std::string value_words(std::string_view field, const std::string& value);  // "600 W"
std::string driver_text(const Driver& driver);                              // "570.86.15 (CUDA 12.8)"

}  // namespace tocuda
