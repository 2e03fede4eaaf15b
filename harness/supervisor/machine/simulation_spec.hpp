// tocuda, Apache-2.0.
// Parses the argument of --simulate: "4x1GiB", "1x1GiB,1x4GiB", "2xH200", "1xmy_gpu.json"; and writes the file from
// which the simulator reads its machine.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/machine.hpp"
#include "model/problem.hpp"
#include "model/profile.hpp"

namespace tocuda {

// The built-in profiles of common GPUs (their sources are the files in profiles/).
// Sorted from the smallest memory to the largest.
std::vector<std::string> profile_names();

// Finds a profile by name, ignoring case; nullopt if there is none.
std::optional<GpuProfile> built_in_profile(std::string_view name);

inline constexpr int simulated_gpus_most = 64;

// How the allowed forms begin in an error, for verbs that take other ones.
inline constexpr std::string_view before_allowed_forms = "; use COUNTx";

// An error is one line that ends with the allowed forms.
Expected<Simulation> parse_simulation(std::string_view spec);

// Names a fault or a link of a GPU that the machine does not have; empty if there is none.
std::string missing_gpu(const SimulatedMachine& machine);

// Parses "1GiB", "512MiB", "1.5GiB" or "1048576KiB" to bytes, within the limits for one GPU.
Expected<std::int64_t> parse_memory(std::string_view text);

// Writes the machine to a file in `folder` whose name depends on the content, so that equal machines share a file.
Expected<std::filesystem::path> write_simulation(const std::filesystem::path& folder, const SimulatedMachine& machine);

// Replaces the driver and the GPUs of the run line, as read from this machine, by the simulated ones.
void add_simulation(RunLine& line, const Simulation& simulation);

}  // namespace tocuda
