// tocuda, Apache-2.0.
#include "command/simulated_gpus.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "command/catalogue.hpp"
#include "lines/fault_text.hpp"
#include "machine/simulation_file.hpp"
#include "machine/simulation_spec.hpp"

namespace tocuda {
namespace {

constexpr double bytes_of_gib = 1024.0 * 1024 * 1024;

}  // namespace

std::string why_no_simulation() {
    const auto runtime = program_folder() / "simulator" / "simulated" / "libcudart.so.13";
    return std::filesystem::exists(runtime)
               ? ""
               : "this build has no simulated runtime: no CUDA headers or runtime were found";
}

Available available_by_simulation(const std::string& spec, const Simulation& simulation) {
    Available available{
        .device = Device::simulated, .gpus = static_cast<int>(simulation.machine.gpus.size()), .simulation = spec};
    for (const auto& gpu : simulation.machine.gpus)
        available.largest_gib = std::max(available.largest_gib, static_cast<double>(gpu.memory_bytes) / bytes_of_gib);
    available.found = fmt::format("{} simulated GPU{} ({})", available.gpus, available.gpus == 1 ? "" : "s", spec);
    return available;
}

Parsed<SimulatedMachine> machine_of(const std::string& spec, const std::vector<std::string>& faults,
                                    std::uint64_t seed) {
    const auto simulation = parse_simulation(spec);
    if (!simulation) return {std::nullopt, simulation.wrong};
    auto machine = simulation->machine;
    machine.seed = seed;
    for (const auto& text : faults) {
        const auto fault = parse_fault(text);
        if (!fault) return {std::nullopt, fault.wrong};
        machine.faults.push_back(*fault);
    }
    return {std::move(machine), {}};
}

Parsed<std::filesystem::path> SimulationFolder::file_for(const std::string& spec,
                                                         const std::vector<std::string>& faults, std::uint64_t seed) {
    std::string key = spec + "\nseed " + std::to_string(seed);
    for (const auto& fault : faults) key += "\nfault " + fault;
    if (const auto known = files.find(key); known != files.end()) return {known->second, {}};
    const auto machine = machine_of(spec, faults, seed);
    if (!machine) return {std::nullopt, machine.wrong};
    const auto file = write_simulation(folder.path(), *machine);
    if (file.empty()) return {std::nullopt, folder.path().string() + ": cannot be written"};
    files.emplace(key, file);
    return {file, {}};
}

}  // namespace tocuda
