// tocuda, Apache-2.0.
#include "execution/bench_costs.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace tocuda {
namespace {

// Assumptions for a server with one H200. None of them was measured by tocuda; the first processes correct them.
// Creating a context takes half a second to a second (more if the driver is not persistent and no process holds the
// GPU open), loading LibTorch's libraries three seconds more, and the first warm-up up to 0.3 s. Besides its launches,
// each parameter set costs a check of the clock (at least 20 ms), telemetry, two result checks and the search for a
// batch.
constexpr double context_seconds = 0.75;
constexpr double libtorch_seconds = 3;
constexpr double warm_up_seconds = 0.2;  // of a process, and of each set that uses several GPUs
constexpr double set_seconds = 0.08;

// What a set costs in addition, by its size: at least five launches and both checks. The CPU writes, page-locks and
// compares host memory, and pageable copies reach 3 to 10 GB/s; what arrives on the GPU is compared there. For the
// GPU's own memory this is negligible.
constexpr double host_bytes_per_second = 1 << 30;
constexpr double file_bytes_per_second = 0.5 * (1 << 30);  // as if half of the sets read a disk
constexpr double upwards_bytes_per_second = 2.0 * (1 << 30);
constexpr double device_bytes_per_second = 20.0 * (1 << 30);

// A set of start/ or of calls/context starts programs instead, each with its own context: one per launch and one per
// check.
constexpr double program_seconds = 1;

// On simulated GPUs nothing waits for a driver, launches take no real time, and the CPU does what kernels and copies do
// for the checks. Measured with two cores.
constexpr double simulated_process_seconds = 0.1;
constexpr double simulated_libtorch_seconds = 0.5;
constexpr double simulated_set_seconds = 0.02;
constexpr double simulated_bytes_per_second = 0.1 * (1 << 30);

// Limits of the factor by which other units correct the estimate of a unit that has not run yet.
constexpr double most_of_known = 4;
constexpr double least_of_known = 0.25;

double bytes_per_second(std::string_view benchmark) {
    constexpr std::array<std::string_view, 9> on_the_gpu{
        "memory/",          "copy/device_to_device/", "convert/device/", "allocate/device",           "allocate/pool",
        "allocate/virtual", "busy/device_to_device",  "curve/",          "sustained/device_to_device"};
    const auto begins = [&](std::string_view one) { return benchmark.starts_with(one); };
    if (std::ranges::any_of(on_the_gpu, begins)) return device_bytes_per_second;
    if (begins("load/file") || begins("load/blocks") || begins("save/") || begins("load/direct_storage"))
        return file_bytes_per_second;
    return benchmark.find("host_to_device/") != std::string_view::npos ? upwards_bytes_per_second
                                                                       : host_bytes_per_second;
}

bool is_collective(std::string_view benchmark) {
    return benchmark.starts_with("collectives/") || benchmark == "busy/all_reduce";
}

double known_simulated_seconds(const Sweep& sweep, const std::vector<Parameters>& sets, std::size_t gpus) {
    // The CPU adds up what each GPU sends.
    const auto sharers = is_collective(sweep.benchmark.name) ? static_cast<double>(gpus) : 1;
    const double rate = simulated_bytes_per_second / sharers;
    double seconds = simulated_process_seconds;
    if (sweep.worker->built_with.contains("libtorch")) seconds += simulated_libtorch_seconds;
    for (const auto& set : sets) {
        seconds += simulated_set_seconds;
        const auto bytes = whole_if_any(set, "bytes");
        if (bytes && !sweep.benchmark.name.starts_with("latency/")) seconds += static_cast<double>(*bytes) / rate;
    }
    return seconds;
}

}  // namespace

double known_seconds(const Sweep& sweep, const std::vector<Parameters>& sets, const Protocol& protocol, bool simulated,
                     std::size_t gpus) {
    if (simulated && sweep.benchmark.needs.gpus > 0 && !sweep.benchmark.name.starts_with("start/"))
        return known_simulated_seconds(sweep, sets, gpus);
    const bool libtorch = sweep.worker->built_with.contains("libtorch");
    const bool gpu = sweep.benchmark.needs.gpus > 0;
    const bool several_gpus = sweep.benchmark.needs.gpus > 1;
    const double rate = several_gpus ? device_bytes_per_second : bytes_per_second(sweep.benchmark.name);
    double seconds = (gpu ? context_seconds + warm_up_seconds : 0.05) + (libtorch ? libtorch_seconds : 0);
    double largest = 0;  // its memory is allocated and touched once
    for (const auto& set : sets) {
        seconds += set_seconds + protocol.launch_budget_s + seconds_asked_for(set);
        if (several_gpus) seconds += warm_up_seconds;
        const auto bytes = whole_if_any(set, "bytes");
        if (!bytes && (sweep.benchmark.name.starts_with("start/") || sweep.benchmark.name == "calls/context"))
            seconds += program_seconds * (protocol.launches_min + 2);
        if (!bytes || sweep.benchmark.name.starts_with("latency/")) continue;  // few lines of a working set are touched
        seconds += static_cast<double>(*bytes) / rate;
        largest = std::max(largest, static_cast<double>(*bytes));
    }
    return seconds + largest / rate;
}

double BenchCosts::seconds(std::size_t unit, const Sweep& sweep, const std::vector<Parameters>& sets,
                           std::size_t gpus) const {
    const double known = known_seconds(sweep, sets, protocol, simulated, gpus);
    const auto of = [](const Taken& taken) { return taken.seconds / taken.known; };
    if (const auto own = last_of_unit.find(unit); own != last_of_unit.end()) return known * of(own->second);
    const auto others = by_worker.find(sweep.worker->name);
    return others == by_worker.end() ? known : known * std::clamp(of(others->second), least_of_known, most_of_known);
}

void BenchCosts::took(std::size_t unit, const Sweep& sweep, const std::vector<Parameters>& sets, double seconds,
                      std::size_t gpus) {
    if (sets.empty()) return;
    const double known = known_seconds(sweep, sets, protocol, simulated, gpus);
    last_of_unit[unit] = {seconds, known};
    auto& all = by_worker[sweep.worker->name];
    all.seconds += seconds;
    all.known += known;
}

}  // namespace tocuda
