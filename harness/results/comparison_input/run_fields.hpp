// tocuda, Apache-2.0.
// The recorded fields of a run line that may affect times, as texts by name. Excludes what always differs between
// starts: run, time, session, boot, driver load, seed, command, a GPU's index, and the current state of its link.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "model/machine.hpp"

namespace tocuda {

using Fields = std::map<std::string, std::string, std::less<>>;  // fields that were not recorded are absent

Fields fields_of(const RunLine& run);  // excludes the GPUs' fields
Fields fields_of(const Gpu& gpu);      // "power_limit_w": "700"

// The part that a field belongs to: driver, cuda, libtorch, suite, machine, gpu, protocol, device.
std::string part_of(std::string_view field);

// Whether its value names one of many, and says nothing of how fast it is: a UUID, a commit.
bool is_identity(std::string_view field);

// Returns the field's name for display: "power limit", "GPU's model".
std::string field_words(std::string_view field);
std::string short_value(std::string_view field, const std::string& value);
std::string value_words(std::string_view field, const std::string& value);  // "600 W"
std::string driver_text(const Driver& driver);                              // "570.86.15 (CUDA 12.8)"

}  // namespace tocuda
