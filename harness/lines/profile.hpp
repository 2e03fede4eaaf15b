// tocuda, Apache-2.0.
// A GPU's profile as a JSON file, read strictly: a person wrote it, and a figure that is silently dropped would be a
// wrong simulation.
#pragma once

#include <string>
#include <string_view>

#include "lines/parsed.hpp"
#include "model/profile.hpp"

namespace tocuda {

// What is wrong is said as "FILE: field: what".
Parsed<GpuProfile> gpu_profile(std::string_view text, const std::string& file);

}  // namespace tocuda
