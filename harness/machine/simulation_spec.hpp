// tocuda, Apache-2.0.
// What --simulate says: "4x1GiB", "1x1GiB,1x4GiB", "2xH200", "1xmy_gpu.json".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "lines/parsed.hpp"
#include "model/profile.hpp"

namespace tocuda {

inline constexpr int simulated_gpus_most = 64;

// What is wrong is one line that ends with what is possible.
Parsed<Simulation> parse_simulation(std::string_view spec);

// "1GiB", "512MiB", "1.5GiB", "1048576KiB": bytes within what one GPU may have.
Parsed<std::int64_t> parse_memory(std::string_view text);

}  // namespace tocuda
