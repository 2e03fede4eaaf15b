// tocuda, Apache-2.0.
// The profiles of common GPUs that travel in the program (their sources are the files in profiles/).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/profile.hpp"

namespace tocuda {

// From the smallest memory to the largest.
std::vector<std::string> profile_names();

// By its name, upper and lower case being equal.
std::optional<GpuProfile> built_in_profile(std::string_view name);

}  // namespace tocuda
