// tocuda, Apache-2.0.
// The built-in profiles of common GPUs (their sources are the files in profiles/).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/profile.hpp"

namespace tocuda {

// Sorted from the smallest memory to the largest.
std::vector<std::string> profile_names();

// Finds a profile by name, ignoring case; nullopt if there is none.
std::optional<GpuProfile> built_in_profile(std::string_view name);

}  // namespace tocuda
