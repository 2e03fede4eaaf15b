// tocuda, Apache-2.0.
// Writes the simulator's file and fills the run line from the simulation.
#include "machine/simulation_file.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include "machine/probe_report.hpp"
#include "machine/text_file.hpp"
#include "model/simulated/compiled.hpp"

namespace tocuda {
namespace {

// FNV-1a: names only have to differ if the texts do.
std::uint64_t mark_of(std::string_view text) {
    std::uint64_t mark = 14695981039346656037U;
    for (const char letter : text) mark = (mark ^ static_cast<unsigned char>(letter)) * 1099511628211U;
    return mark;
}

std::optional<int> known(std::int64_t figure) {
    return figure > 0 ? std::optional(static_cast<int>(figure)) : std::nullopt;
}

Gpu gpu_of(const SimulatedGpu& simulated, std::size_t position) {
    Gpu gpu{.index = static_cast<int>(position), .uuid = simulated.uuid, .name = simulated.name};
    gpu.compute_capability = std::to_string(simulated.compute_major) + "." + std::to_string(simulated.compute_minor);
    gpu.memory_bytes = simulated.memory_bytes;
    gpu.power_limit_w = known(simulated.power_limit_w);
    gpu.ecc = simulated.ecc == 1;
    gpu.mig = false;
    gpu.pcie.generation = gpu.pcie.generation_max = gpu.pcie.gpu_generation_max = known(simulated.pcie_generation);
    gpu.pcie.width = gpu.pcie.width_max = known(simulated.pcie_width);
    return gpu;
}

void name_missing(const Gpu& gpu, RunLine& line) {
    const auto name = [&](bool missing, const char* field, const char* cause) {
        if (missing) line.unavailable.push_back({"gpus[" + std::to_string(gpu.index) + "]." + field, cause});
    };
    const char* unsaid = "not in the profile of this simulated GPU";
    name(true, "vbios", "a simulated GPU has none");
    name(true, "persistence", "a simulated GPU has none");
    name(!gpu.power_limit_w, "power_limit_w", unsaid);
    name(!gpu.pcie.generation, "pcie.generation", unsaid);
    name(!gpu.pcie.generation, "pcie.generation_max", unsaid);
    name(!gpu.pcie.generation, "pcie.gpu_generation_max", unsaid);
    name(!gpu.pcie.width, "pcie.width", unsaid);
    name(!gpu.pcie.width, "pcie.width_max", unsaid);
}

bool is_of_the_real_one(const Unavailable& missing) {
    return missing.field.starts_with("driver") || missing.field.starts_with("gpus");
}

}  // namespace

Expected<std::filesystem::path> write_simulation(const std::filesystem::path& folder, const SimulatedMachine& machine) {
    const auto text = compiled(machine);
    std::array<char, 64> name;
    std::snprintf(name.data(), name.size(), "simulation-%016llx.txt", static_cast<unsigned long long>(mark_of(text)));
    const auto file = folder / name.data();
    std::error_code failed;
    std::filesystem::create_directories(folder, failed);
    if (!replace_text(file, text)) return problem(folder.string() + ": cannot be written");
    return file;
}

void add_simulation(RunLine& line, const Simulation& simulation) {
    std::erase_if(line.unavailable, is_of_the_real_one);
    const auto& machine = simulation.machine;
    line.driver = Driver{machine.driver_name, cuda_version_text(machine.driver_version), "simulated"};
    line.driver_loaded.reset();
    line.unavailable.push_back({"driver_loaded", "each child loads the simulated driver anew"});
    if (simulation.boot) {
        line.boot = simulation.boot;
        std::erase_if(line.unavailable, [](const Unavailable& missing) { return missing.field == "boot"; });
    }
    line.gpus.clear();
    for (std::size_t i = 0; i < machine.gpus.size(); ++i) {
        line.gpus.push_back(gpu_of(machine.gpus[i], i));
        name_missing(line.gpus.back(), line);
    }
}

}  // namespace tocuda
