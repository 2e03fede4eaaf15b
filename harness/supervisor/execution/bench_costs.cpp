// tocuda, Apache-2.0.
#include "execution/bench_costs.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>

namespace tocuda {
namespace {

// The first processes correct these. On a virtual machine with one H100 and a persistent driver, a process that
// measures nothing took 0.4 s, and a parameter set 0.025 s with its launches: a check of the clock, telemetry, two
// result checks and the search for a batch (results/nvidia-h100-80gb-hbm3/580.159.04). A driver that is not persistent
// takes longer, unless a process holds the GPU open. What further GPUs and LibTorch add is assumed.
constexpr double context_seconds = 0.4;
constexpr double further_context_seconds = 0.3;  // on each other GPU that a process uses
constexpr double host_process_seconds = 0.05;    // that uses none
constexpr double libtorch_seconds = 3;
constexpr double warm_up_seconds = 0.1;  // of a process, and of each set that uses several GPUs
constexpr double set_seconds = 0.03;

// What a set costs in addition, by its size: at least five launches and both checks. The CPU writes, page-locks and
// compares host memory, and pageable copies reach 3 to 10 GB/s; what arrives on the GPU is compared there. For the
// GPU's own memory this is negligible.
constexpr double by_host_bytes_per_second = 1 << 30;
constexpr double in_file_bytes_per_second = 0.5 * (1 << 30);  // as if half of the sets read a disk
constexpr double to_gpu_bytes_per_second = 2.0 * (1 << 30);
constexpr double on_gpu_bytes_per_second = 100.0 * (1 << 30);

// Of each program that a benchmark starts for every launch and every check, each with a context of its own.
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

double bytes_per_second(Handling handling) {
    switch (handling) {
        case Handling::on_gpu:
            return on_gpu_bytes_per_second;
        case Handling::to_gpu:
            return to_gpu_bytes_per_second;
        case Handling::in_file:
            return in_file_bytes_per_second;
        default:
            return by_host_bytes_per_second;
    }
}

double bytes_handled(const Benchmark& benchmark, const Parameters& set) {
    const auto bytes = benchmark.cost.bytes == Handling::few ? std::nullopt : whole_if_any(set, "bytes");
    return static_cast<double>(bytes.value_or(0));
}

// A process that measures pairs of GPUs uses those that its sets name.
std::size_t gpus_used(const Benchmark& benchmark, const std::vector<Parameters>& sets, std::size_t visible) {
    if (benchmark.cost.all_gpus) return visible;
    std::set<std::int64_t> named;
    for (const auto& set : sets)
        for (const auto* end : {"from", "to"})
            if (const auto gpu = whole_if_any(set, end)) named.insert(*gpu);
    return std::max(named.size(), static_cast<std::size_t>(benchmark.needs.gpus));
}

double known_simulated_seconds(const Sweep& sweep, const std::vector<Parameters>& sets, std::size_t gpus) {
    // The CPU adds up what each GPU sends.
    const auto sharers = sweep.benchmark.cost.all_gpus ? static_cast<double>(gpus) : 1;
    double seconds = simulated_process_seconds;
    if (sweep.worker->built_with.contains("libtorch")) seconds += simulated_libtorch_seconds;
    for (const auto& set : sets)
        seconds += simulated_set_seconds + sharers * bytes_handled(sweep.benchmark, set) / simulated_bytes_per_second;
    return seconds;
}

double start_seconds(const Sweep& sweep, const std::vector<Parameters>& sets, std::size_t gpus) {
    const auto& benchmark = sweep.benchmark;
    double seconds = sweep.worker->built_with.contains("libtorch") ? libtorch_seconds : 0;
    if (benchmark.needs.gpus == 0) return seconds + host_process_seconds;
    const auto used = static_cast<double>(gpus_used(benchmark, sets, gpus));
    seconds += context_seconds + (used - 1) * further_context_seconds + warm_up_seconds;
    return seconds + used * benchmark.cost.seconds_of_each_gpu;
}

}  // namespace

double known_seconds(const Sweep& sweep, const std::vector<Parameters>& sets, const Protocol& protocol, bool simulated,
                     std::size_t gpus) {
    const auto& benchmark = sweep.benchmark;
    const auto& cost = benchmark.cost;
    if (simulated && benchmark.needs.gpus > 0 && cost.programs == 0) return known_simulated_seconds(sweep, sets, gpus);
    const double rate = bytes_per_second(cost.bytes);
    double seconds = start_seconds(sweep, sets, gpus);
    double largest = 0;  // its memory is allocated and touched once
    for (const auto& set : sets) {
        const double bytes = bytes_handled(benchmark, set);
        seconds += set_seconds + protocol.launch_budget_s + seconds_asked_for(set) + bytes / rate;
        if (benchmark.needs.gpus > 1) seconds += warm_up_seconds;
        seconds += program_seconds * cost.programs * (protocol.launches_min + 2);
        largest = std::max(largest, bytes);
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
