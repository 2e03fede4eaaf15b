// tocuda, Apache-2.0.
// Parses a spec part by part; every error names the part and the allowed forms.
#include "machine/simulation_spec.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <stdexcept>

#include "built_in_profiles.hpp"
#include "json_lines/profile_json.hpp"
#include "machine/probe_report.hpp"
#include "machine/text_file.hpp"
#include "model/nearest.hpp"
#include "model/utc.hpp"
#include "model/words.hpp"
#include "simulator/schema/compiled.hpp"

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
    gpu.mig = simulated.mig == 1;
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
    name(true, "bar1_bytes", "a simulated GPU has none");
    name(!gpu.power_limit_w, "power_limit_w", unsaid);
    name(!gpu.pcie.generation, "pcie.generation", unsaid);
    name(!gpu.pcie.generation, "pcie.generation_max", unsaid);
    name(!gpu.pcie.generation, "pcie.gpu_generation_max", unsaid);
    name(!gpu.pcie.width, "pcie.width", unsaid);
    name(!gpu.pcie.width, "pcie.width_max", unsaid);
}

bool is_of_the_real_one(const Unavailable& missing) {
    return missing.field.starts_with("driver") || missing.field.starts_with("gpus") || missing.field == "machine.iommu";
}

struct Unit {
    std::string_view name;
    int bits;
};
// Includes units that are too large, so that the error is about the size and not the unit.
constexpr std::array<Unit, 6> units{{{"KiB", 10}, {"MiB", 20}, {"GiB", 30}, {"TiB", 40}, {"PiB", 50}, {"EiB", 60}}};

std::string possible() {
    return std::string(before_allowed_forms) + "MEMORY (4x1GiB; 1x1GiB,1x4GiB), COUNTxFILE.json or COUNTxPROFILE (" +
           joined(profile_names()) + "); 1xH100:24GiB is one with other memory";
}

bool begins_with_a_number(std::string_view text) {
    return !text.empty() &&
           (std::isdigit(static_cast<unsigned char>(text[0])) != 0 || text[0] == '-' || text[0] == '.');
}

Expected<GpuProfile> profile_in_file(const std::string& file) {
    std::error_code ignored;
    // Reading a pipe would block.
    if (std::filesystem::exists(file, ignored) && !std::filesystem::is_regular_file(file, ignored))
        return problem(file + " is not a regular file");
    const auto text = read_text(file);
    if (!text) return problem(file + " cannot be read");
    auto profile = gpu_profile(*text, file);
    const bool has_clock = profile && profile->machine && profile->machine->clock;
    if (has_clock && !utc_of(*profile->machine->clock))
        return problem(file + ": machine.clock: is not of the form \"2026-11-21T10:00:00Z\"");
    return profile;
}

bool is_file(const std::string& what) {
    std::error_code ignored;
    return std::filesystem::is_regular_file(what, ignored);
}

// "; did you mean RTX4090?" of "4090".
std::string meant_by(const std::string& what) {
    constexpr std::size_t least = 3;
    for (const auto& name : profile_names())
        if (what.size() >= least && name.find(what) != std::string::npos) return "; did you mean " + name + "?";
    return "";
}

// "; did you mean 24GiB?" of "24GB".
std::string meant_by_size(std::string_view text) {
    const bool decimal = text.ends_with("GB") || text.ends_with("MB") || text.ends_with("TB");
    return decimal ? "; did you mean " + std::string(text.substr(0, text.size() - 1)) + "iB?" : "";
}

Expected<GpuProfile> gpu_of(const std::string& what) {
    if (is_file(what) && !what.ends_with(".json")) return problem("the name of a profile's file must end in .json");
    if (what.empty()) return problem("has no memory size, file or profile after the 'x'" + possible());
    if (what.ends_with(".json")) return profile_in_file(what);
    if (const auto colon = what.rfind(':'); colon != std::string::npos && colon > 0) {
        const auto memory = parse_memory(what.substr(colon + 1));
        if (!memory) return problem(memory.error().what + meant_by(what.substr(colon + 1)));
        auto like_it = gpu_of(what.substr(0, colon));
        if (like_it) like_it->gpu.memory_bytes = *memory;
        return like_it;
    }
    if (auto profile = built_in_profile(what)) return *std::move(profile);
    if (!begins_with_a_number(what))
        return problem("no profile named '" + what + "'" + suggestion(what, profile_names()) + possible());
    const auto memory = parse_memory(what);
    if (!memory) return problem(memory.error().what + meant_by(what));
    GpuProfile plain;
    plain.gpu.memory_bytes = *memory;
    return plain;
}

// Parses the count of "4x1GiB".
Expected<int> count_of(std::string_view text) {
    const auto count = whole_number<std::int64_t>(text);
    if (!count) return problem("'" + std::string(text) + "' is not a count" + possible());
    if (*count < 1) return problem("at least 1 GPU is needed" + possible());
    if (*count > simulated_gpus_most)
        return problem("at most " + std::to_string(simulated_gpus_most) + " GPUs can be simulated");
    return static_cast<int>(*count);
}

// Adds one part.
Expected<void> add(const std::string& part, std::vector<SimulatedGpu>& gpus, std::optional<Simulation>& machine) {
    const auto x = part.find('x');
    if (x == std::string::npos)
        return problem("has no 'x' between a count and a GPU" +
                       (gpu_of(part) ? " (did you mean '1x" + part + "'?)" : std::string()) + possible());
    const auto count = count_of(std::string_view(part).substr(0, x));
    if (!count) return problem(count.error());
    const auto profile = gpu_of(part.substr(x + 1));
    if (!profile) return problem(profile.error());
    if (gpus.size() + static_cast<std::size_t>(*count) > simulated_gpus_most)
        return problem("at most " + std::to_string(simulated_gpus_most) + " GPUs can be simulated");
    if (profile->machine && machine && *machine != *profile->machine)
        return problem("its 'machine' differs from that of another file; a machine has one driver and one boot");
    if (profile->machine) machine = profile->machine;
    gpus.insert(gpus.end(), static_cast<std::size_t>(*count), profile->gpu);
    return {};
}

GpuProfile read(std::string_view name, std::string_view text) {
    const auto profile = gpu_profile(text, std::string(name) + ".json");
    if (!profile) throw std::logic_error("a built-in profile cannot be read: " + profile.error().what);
    return *profile;
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
    line.machine.iommu.reset();
    line.unavailable.push_back({"machine.iommu", "simulated GPUs are on no bus"});
    for (const char* field : {"machine.confidential_computing", "driver.gsp_firmware", "driver.pageable_access"})
        line.unavailable.push_back({field, "a simulated GPU has none"});
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

Expected<std::int64_t> parse_memory(std::string_view text) {
    const auto unit_begin = std::min(text.find_first_not_of("0123456789.-"), text.size());
    const auto unit = std::ranges::find(units, text.substr(unit_begin), &Unit::name);
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + unit_begin, number, std::chars_format::fixed);
    if (unit == units.end() || unit_begin == 0 || error != std::errc{} || end != text.data() + unit_begin)
        return problem("'" + std::string(text) + "' is not a memory size; use 512MiB, 1GiB or 1.5GiB" +
                       meant_by_size(text));
    const double bytes = std::ldexp(number, unit->bits);
    const bool too_little = bytes < static_cast<double>(memory_least);
    if (too_little || bytes > static_cast<double>(memory_most))
        return problem("'" + std::string(text) + "' is too " + (too_little ? "little" : "much") +
                       "; a GPU may have from 2MiB to 1TiB");
    return static_cast<std::int64_t>(bytes);
}

std::string missing_gpu(const SimulatedMachine& machine) {
    const auto gpus = static_cast<int>(machine.gpus.size());
    const auto missing = [](int gpu) { return ": there is no GPU " + std::to_string(gpu); };
    for (const auto& fault : machine.faults)
        if (const int gpu = std::max(fault.from, fault.to); gpu >= gpus)
            return "fault 'peer " + std::to_string(fault.from) + " " + std::to_string(fault.to) + " " + fault.peer +
                   "'" + missing(gpu);
    for (const auto& link : machine.links)
        if (const int gpu = std::max(link.from, link.to); gpu >= gpus)
            return "the link from GPU " + std::to_string(link.from) + " to GPU " + std::to_string(link.to) +
                   missing(gpu);
    return "";
}

Expected<Simulation> parse_simulation(std::string_view spec) {
    std::vector<SimulatedGpu> gpus;
    std::optional<Simulation> machine;
    std::string rest(spec);
    while (true) {
        const auto comma = rest.find(',');
        const auto part = rest.substr(0, comma);
        if (const auto added = add(part, gpus, machine); !added)
            return problem("'" + part + "': " + added.error().what);
        if (comma == std::string::npos) break;
        rest.erase(0, comma + 1);
    }
    Simulation simulation = machine.value_or(Simulation{});
    simulation.machine.gpus = std::move(gpus);
    simulation.machine = complete(std::move(simulation.machine));
    if (const auto missing = missing_gpu(simulation.machine); !missing.empty()) return problem(missing);
    return simulation;
}

std::vector<std::string> profile_names() {
    std::vector<std::pair<std::int64_t, std::string>> by_memory;
    for (const auto& [name, text] : built_in_profiles::all)
        by_memory.emplace_back(read(name, text).gpu.memory_bytes, std::string(name));
    std::ranges::sort(by_memory);
    std::vector<std::string> names;
    for (auto& [memory, name] : by_memory) names.push_back(std::move(name));
    return names;
}

std::optional<GpuProfile> built_in_profile(std::string_view wanted) {
    for (const auto& [name, text] : built_in_profiles::all)
        if (name.size() == wanted.size() && edits_between(name, wanted) == 0) return read(name, text);
    return std::nullopt;
}

}  // namespace tocuda
