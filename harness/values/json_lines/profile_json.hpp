// tocuda, Apache-2.0.
// Reads a GPU profile from a JSON file. Strict, because people write these files and a silently dropped figure would
// make the simulation wrong.
#pragma once

#include <string>
#include <string_view>

#include "model/problem.hpp"
#include "model/profile.hpp"

namespace tocuda {

// Errors have the form "FILE: field: what".
Expected<GpuProfile> gpu_profile(std::string_view text, const std::string& file);

}  // namespace tocuda
