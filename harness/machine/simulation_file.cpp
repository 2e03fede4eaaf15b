// tocuda, Apache-2.0.
// Writes simulations for the runtime and for the record: both give a GPU the same name.
#include "machine/simulation_file.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>

#include "machine/probe_report.hpp"
#include "machine/text_file.hpp"

namespace tocuda {
namespace {

constexpr int default_driver = 13000;
constexpr const char* default_driver_name = "580.95.05";

std::string uuid_of(std::size_t position) {
    std::array<char, 64> text;
    std::snprintf(text.data(), text.size(), "GPU-70c0da00-0000-4000-8000-%012zx", position);
    return text.data();
}

void write_machine(const MachineNames& machine, std::uint64_t seed, std::string& text) {
    text += "driver " + std::to_string(machine.driver.value_or(default_driver)) + "\n";
    text += "driver_name " + machine.driver_name.value_or(default_driver_name) + "\n";
    text += "seed " + std::to_string(seed) + "\n";
    if (machine.peer_access) text += std::string("peer_access ") + (*machine.peer_access ? "all" : "none") + "\n";
    if (machine.host_memory_bytes) text += "host_memory_bytes " + std::to_string(*machine.host_memory_bytes) + "\n";
    for (const auto& [code, words] : machine.error_texts) text += "error " + std::to_string(code) + " " + words + "\n";
    for (const auto& fault : machine.faults) text += "fault " + fault + "\n";
}

// The shortest text that reads back as the same number.
std::string decimal(double value) {
    std::array<char, 32> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
    return {text.data(), end};
}

void write_gpu(const GpuProfile& gpu, std::size_t position, std::string& text) {
    text += "gpu\nname " + gpu.name + "\nuuid " + uuid_of(position) + "\ncompute_capability " + gpu.compute_capability + "\n";
    for (const auto& known : known_figures)
        if (const auto figure = gpu.figure(known.name))
            text += std::string(known.name) + " " + std::to_string(*figure) + "\n";
    for (const auto& [attribute, value] : gpu.attributes) text += "attribute " + std::to_string(attribute) + " " + std::to_string(value) + "\n";
    for (const auto& [name, value] : gpu.variations) text += name + " " + decimal(value) + "\n";
    for (const auto& line : gpu.telemetry) text += "telemetry " + line + "\n";
}

// FNV-1a: the name only has to differ where the text does.
std::uint64_t mark_of(std::string_view text) {
    std::uint64_t mark = 14695981039346656037U;
    for (const char letter : text) mark = (mark ^ static_cast<unsigned char>(letter)) * 1099511628211U;
    return mark;
}

Gpu gpu_of(const GpuProfile& profile, std::size_t position) {
    Gpu gpu{.index = static_cast<int>(position), .uuid = uuid_of(position), .name = profile.name};
    gpu.compute_capability = profile.compute_capability;
    gpu.memory_bytes = profile.figure("memory_bytes");
    if (const auto power = profile.figure("power_limit_w")) gpu.power_limit_w = static_cast<double>(*power);
    gpu.ecc = profile.figure("ecc").value_or(0) == 1;
    gpu.mig = false;
    if (const auto generation = profile.figure("pcie_generation"))
        gpu.pcie.generation = gpu.pcie.generation_max = gpu.pcie.gpu_generation_max = static_cast<int>(*generation);
    if (const auto width = profile.figure("pcie_width")) gpu.pcie.width = gpu.pcie.width_max = static_cast<int>(*width);
    return gpu;
}

void name_missing(const Gpu& gpu, RunLine& line) {
    const auto name = [&](bool missing, const char* field, const char* cause) {
        if (missing) line.unavailable.push_back({"gpus[" + std::to_string(gpu.index) + "]." + field, cause});
    };
    const char* unsaid = "the profile of this simulated GPU does not say";
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

std::string simulation_text(const Simulation& simulation, std::uint64_t seed) {
    std::string text = "# A machine with simulated GPUs, written by tocuda.\n";
    write_machine(simulation.machine, seed, text);
    for (std::size_t i = 0; i < simulation.gpus.size(); ++i) write_gpu(simulation.gpus[i], i, text);
    return text;
}

std::filesystem::path write_simulation(const std::filesystem::path& folder, const std::string& text) {
    std::array<char, 64> name;
    std::snprintf(name.data(), name.size(), "simulation-%016llx.txt", static_cast<unsigned long long>(mark_of(text)));
    const auto file = folder / name.data();
    std::error_code failed;
    std::filesystem::create_directories(folder, failed);
    return replace_text(file, text) ? file : std::filesystem::path();
}

void add_simulation(RunLine& line, const Simulation& simulation) {
    std::erase_if(line.unavailable, is_of_the_real_one);
    const auto& machine = simulation.machine;
    line.driver = Driver{machine.driver_name.value_or(default_driver_name), cuda_version_text(machine.driver.value_or(default_driver)), "simulated"};
    line.driver_loaded.reset();
    line.unavailable.push_back({"driver_loaded", "a simulated driver is loaded by each child anew"});
    if (machine.boot) {
        line.boot = machine.boot;
        std::erase_if(line.unavailable, [](const Unavailable& missing) { return missing.field == "boot"; });
    }
    line.gpus.clear();
    for (std::size_t i = 0; i < simulation.gpus.size(); ++i) {
        line.gpus.push_back(gpu_of(simulation.gpus[i], i));
        name_missing(line.gpus.back(), line);
    }
}

}  // namespace tocuda
