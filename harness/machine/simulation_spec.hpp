// tocuda, Apache-2.0.
// Parses the argument of --simulate: "4x1GiB", "1x1GiB,1x4GiB", "2xH200", "1xmy_gpu.json".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "lines/parsed.hpp"
#include "model/profile.hpp"

namespace tocuda {

inline constexpr int simulated_gpus_most = 64;

// An error is one line that ends with the allowed forms.
Parsed<Simulation> parse_simulation(std::string_view spec);

// Parses "1GiB", "512MiB", "1.5GiB" or "1048576KiB" to bytes, within the limits for one GPU.
Parsed<std::int64_t> parse_memory(std::string_view text);

}  // namespace tocuda
