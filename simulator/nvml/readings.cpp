// tocuda, Apache-2.0.
#include "nvml/readings.hpp"

#include <dlfcn.h>

#include <map>
#include <mutex>
#include <string>

#include "settings/simulation_file.hpp"
#include "simulator/schema/counts.hpp"
#include "simulator/schema/simulation.h"

namespace tocuda::simulator::nvml {
namespace {

std::uint64_t next_reading(const SimulatedGpu& of, std::string_view name) {
    static std::mutex* const mutex = new std::mutex;
    static auto* const counts = new std::map<std::string, std::uint64_t>;
    const std::lock_guard lock(*mutex);
    return ++(*counts)[std::to_string(index_of(of)) + " " + std::string(name)];
}

}  // namespace

const SimulationFile& machine() {
    static const SimulationFile* const file = new SimulationFile(read_simulation_file());
    return *file;
}

const SimulatedGpu* gpu(void* handle) {
    for (const SimulatedGpu& candidate : machine().machine.gpus) {
        if (&candidate == handle) return &candidate;
    }
    return nullptr;
}

int index_of(const SimulatedGpu& of) { return static_cast<int>(&of - machine().machine.gpus.data()); }

unsigned long long bytes_in_use(const SimulatedGpu& of) {
    using Ask = long long (*)(int);
    const auto ask = reinterpret_cast<Ask>(::dlsym(RTLD_DEFAULT, "tocuda_simulation_bytes_in_use"));
    const long long bytes = ask ? ask(index_of(of)) : 0;
    return bytes < 0 ? 0 : static_cast<unsigned long long>(bytes);
}

std::uint64_t bytes_between_gpus(const SimulatedGpu& of, bool sent) {
    const auto ask =
        reinterpret_cast<decltype(&tocuda_simulation_counts)>(::dlsym(RTLD_DEFAULT, "tocuda_simulation_counts"));
    const auto* counts = ask ? static_cast<const SharedCounts*>(ask()) : nullptr;
    if (!counts) return 0;
    const auto& gpu = counts->gpus[static_cast<std::size_t>(index_of(of))];
    return sent ? gpu.sent_to_peers_bytes : gpu.received_from_peers_bytes;
}

const TelemetryLine* reading(const SimulatedGpu& of, std::string_view field, std::string_view asked_as) {
    TelemetryNow now{.reading = next_reading(of, asked_as), .process = process_of_environment().value_or(0)};
    const auto ask =
        reinterpret_cast<decltype(&tocuda_simulation_load)>(::dlsym(RTLD_DEFAULT, "tocuda_simulation_load"));
    tocuda_simulation_load_t load{};
    load.version = 1;
    if (ask && ask(index_of(of), 1e-9 * static_cast<double>(of.management_ns), &load) == 0) {
        now.seconds = load.seconds;
        now.work_begin = load.work_begin;
        now.work_end = load.work_end;
    }
    return telemetry_line(of.telemetry, field, now);
}

std::optional<std::uint64_t> number(const SimulatedGpu& of, std::string_view field,
                                    std::optional<std::int64_t> otherwise, std::string_view asked_as) {
    if (const auto* said = reading(of, field, asked_as)) return said->number;
    if (!otherwise) return std::nullopt;
    return static_cast<std::uint64_t>(*otherwise);
}

}  // namespace tocuda::simulator::nvml
