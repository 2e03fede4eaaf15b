// tocuda, Apache-2.0.
// Reads files that people write: profiles of GPUs, and numbers that others published.
#pragma once

#include <string>
#include <string_view>

#include "model/problem.hpp"
#include "model/profile.hpp"
#include "model/published.hpp"

namespace tocuda {

// Reads a GPU profile from a JSON file. Strict, because people write these files and a silently dropped figure would
// make the simulation wrong.

// Errors have the form "FILE: field: what".
Expected<GpuProfile> gpu_profile(std::string_view text, const std::string& file);

// Reads results/published/numbers.json.

Expected<Published> published_numbers(std::string_view text);

}  // namespace tocuda
