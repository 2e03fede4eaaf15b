// tocuda, Apache-2.0.
// Reads the simulated machine's profile: one `key value` a line; a line `gpu` begins the next GPU; `#` at the start of a line, or after
// a blank, begins a comment.
#include "profile/machine_profile.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <optional>

#include "profile/gpu_fields.hpp"
#include "profile/words.hpp"

namespace tocuda::stand_in {
namespace {

std::string_view trimmed(std::string_view text) {
    const auto end = text.find_last_not_of(blanks);
    return end == std::string_view::npos ? std::string_view{} : text.substr(0, end + 1);
}

bool read_fault(std::string_view value, MachineProfile& machine) {
    Fault fault;
    fault.function = word_of(value);
    const auto call = number_of<std::uint64_t>(word_of(value));
    const auto what = word_of(value);
    fault.hang = what == "hang";
    const auto error = number_of<int>(what);
    const auto extra = word_of(value);
    fault.sticky = extra == "sticky";
    if (fault.function.empty() || !call || *call == 0 || (!fault.hang && !error)) return false;
    if ((!extra.empty() && !fault.sticky) || !value.empty()) return false;
    fault.call = *call;
    fault.error = error.value_or(0);
    machine.faults.push_back(fault);
    return true;
}

template <typename Number>
bool assign(std::string_view value, Number& target) {
    const auto number = number_of<Number>(value);
    if (number) target = *number;
    return number.has_value();
}

bool read_error_text(std::string_view value, MachineProfile& machine) {
    const auto code = number_of<int>(word_of(value));
    if (!code || value.empty()) return false;
    machine.error_texts[*code] = value;
    return true;
}

// Nothing where the key is not one of the machine's.
std::optional<bool> read_machine_line(std::string_view key, std::string_view value, MachineProfile& machine) {
    if (key == "driver") return assign(value, machine.driver_version);
    if (key == "driver_name") return !(machine.driver_name = value).empty();
    if (key == "seed") return assign(value, machine.seed);
    if (key == "host_memory_bytes") return assign(value, machine.host_memory_bytes) && machine.host_memory_bytes >= 0;
    if (key == "fault") return read_fault(value, machine);
    if (key == "error") return read_error_text(value, machine);
    if (key == "peer_access") {
        machine.peer_access = value == "all";
        return value == "all" || value == "none";
    }
    return std::nullopt;
}

bool read_compute_capability(std::string_view value, GpuProfile& gpu) {
    const auto dot = value.find('.');
    return dot != std::string_view::npos && assign(value.substr(0, dot), gpu.compute_major) &&
           assign(value.substr(dot + 1), gpu.compute_minor);
}

bool read_attribute(std::string_view value, GpuProfile& gpu) {
    const auto attribute = number_of<int>(word_of(value));
    const auto number = number_of<int>(value);
    if (attribute && number) gpu.attributes[*attribute] = *number;
    return attribute && number;
}

bool read_telemetry(std::string_view value, GpuProfile& gpu) {
    auto line = telemetry_line(value);
    if (line) gpu.telemetry.push_back(std::move(*line));
    return line.has_value();
}

std::optional<bool> read_gpu_line(std::string_view key, std::string_view value, GpuProfile& gpu) {
    if (key == "name") return !(gpu.name = value).empty();
    if (key == "uuid") return !(gpu.uuid = value).empty();
    if (key == "compute_capability") return read_compute_capability(value, gpu);
    if (key == "attribute") return read_attribute(value, gpu);
    if (key == "telemetry") return read_telemetry(value, gpu);
    for (const GpuVariation& variation : gpu_variations) {
        if (variation.key != key) continue;
        double& field = gpu.*variation.field;
        return assign(value, field) && field >= variation.least && field <= variation.most;
    }
    for (const GpuField& field : gpu_fields) {
        if (field.key == key) return assign(value, gpu.*field.field) && gpu.*field.field >= 0;
    }
    return std::nullopt;
}

// Of a published bandwidth and clock: stacks of 1024 bits, or channels of 32.
std::int64_t bus_bits(const GpuProfile& gpu) {
    constexpr std::int64_t small = 256;
    constexpr double stack = 1024;
    if (gpu.memory_bytes_per_second <= 0 || gpu.memory_clock_khz <= 0) return small;
    const double bits = 8.0 * static_cast<double>(gpu.memory_bytes_per_second) / (2e3 * static_cast<double>(gpu.memory_clock_khz));
    const double step = bits > 2 * stack ? stack : 32;
    return std::max<std::int64_t>(32, static_cast<std::int64_t>(std::round(bits / step) * step));
}

void complete(GpuProfile& gpu, std::size_t position) {
    if (gpu.memory_bus_bits < 0) gpu.memory_bus_bits = bus_bits(gpu);
    if (gpu.pci_bus < 0) gpu.pci_bus = static_cast<std::int64_t>(position + 1);
    if (!gpu.uuid.empty()) return;
    char text[64];
    std::snprintf(text, sizeof text, "GPU-70c0da00-0000-4000-8000-%012zx", position);
    gpu.uuid = text;
}

void read_line(std::string_view line, int number, ProfileReading& reading) {
    std::string_view value = trimmed(line.substr(0, line.find(" #")));
    const std::string_view key = word_of(value);
    if (key.empty() || key.starts_with('#')) return;
    if (key == "gpu" && value.empty()) {
        reading.machine.gpus.emplace_back();
        return;
    }
    auto understood = read_machine_line(key, value, reading.machine);
    if (!understood && !reading.machine.gpus.empty()) understood = read_gpu_line(key, value, reading.machine.gpus.back());
    if (understood.value_or(false)) return;
    const std::string what = understood ? "cannot be read" : "is not known here";
    reading.problems.push_back("line " + std::to_string(number) + ": \"" + std::string(key) + "\" " + what);
}

}  // namespace

ProfileReading read_profile(std::string_view text) {
    ProfileReading reading;
    int number = 0;
    while (!text.empty()) {
        const auto line = text.substr(0, text.find('\n'));
        read_line(line, ++number, reading);
        text.remove_prefix(line.size() < text.size() ? line.size() + 1 : text.size());
    }
    for (std::size_t i = 0; i < reading.machine.gpus.size(); ++i) complete(reading.machine.gpus[i], i);
    return reading;
}

SimulationFile read_simulation_file() {
    const char* path = std::getenv("TOCUDA_SIMULATION");
    if (path == nullptr) {
        std::fputs("tocuda: simulated GPUs: TOCUDA_SIMULATION names no file, so there is no device\n", stderr);
        return {};
    }
    std::FILE* file = std::fopen(path, "re");
    if (file == nullptr) {
        std::fprintf(stderr, "tocuda: simulated GPUs: %s cannot be read\n", path);
        return {.state = SimulationFile::State::bad, .machine = {}};
    }
    std::string text;
    char piece[4096];
    for (std::size_t got = 0; (got = std::fread(piece, 1, sizeof piece, file)) > 0;) text.append(piece, got);
    std::fclose(file);
    ProfileReading reading = read_profile(text);
    for (const std::string& problem : reading.problems) {
        std::fprintf(stderr, "tocuda: simulated GPUs: %s: %s\n", path, problem.c_str());
    }
    if (!reading.problems.empty()) return {.state = SimulationFile::State::bad, .machine = {}};
    return {.state = SimulationFile::State::good, .machine = std::move(reading.machine)};
}

}  // namespace tocuda::stand_in
