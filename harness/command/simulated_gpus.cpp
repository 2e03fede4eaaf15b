// tocuda, Apache-2.0.
// From a SPEC to the file that the simulated runtime reads.
#include "command/simulated_gpus.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "command/catalogue.hpp"
#include "machine/simulation_file.hpp"
#include "machine/simulation_spec.hpp"

namespace tocuda {
namespace {

constexpr double bytes_of_gib = 1024.0 * 1024 * 1024;

}  // namespace

std::string why_no_simulation() {
    const auto runtime = program_folder() / "stand_in" / "simulated" / "libcudart.so.13";
    return std::filesystem::exists(runtime) ? "" : "this build has no simulated runtime (no CUDA headers or runtime were found)";
}

Available available_by_simulation(const std::string& spec, const Simulation& simulation) {
    Available available{.device = Device::simulated, .gpus = static_cast<int>(simulation.gpus.size()), .simulation = spec};
    for (const auto& gpu : simulation.gpus)
        available.largest_gib = std::max(available.largest_gib, static_cast<double>(gpu.figure("memory_bytes").value_or(0)) / bytes_of_gib);
    available.found = fmt::format("{} simulated GPU{} ({})", available.gpus, available.gpus == 1 ? "" : "s", spec);
    return available;
}

Parsed<std::filesystem::path> SimulationFolder::file_for(const std::string& spec, const std::vector<std::string>& faults, std::uint64_t seed) {
    std::string key = spec + "\nseed " + std::to_string(seed);
    for (const auto& fault : faults) key += "\nfault " + fault;
    if (const auto known = files.find(key); known != files.end()) return {known->second, {}};
    const auto parsed = parse_simulation(spec);
    if (!parsed) return {std::nullopt, parsed.wrong};
    auto simulation = *parsed;
    simulation.machine.faults.insert(simulation.machine.faults.end(), faults.begin(), faults.end());
    const auto file = write_simulation(folder.path(), simulation_text(simulation, seed));
    if (file.empty()) return {std::nullopt, folder.path().string() + ": cannot be written"};
    files.emplace(key, file);
    return {file, {}};
}

}  // namespace tocuda
