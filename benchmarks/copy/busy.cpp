// tocuda, Apache-2.0.
// Copies while something else keeps the machine busy: threads that stream through the host's memory, or a kernel that
// computes on every multiprocessor. The load begins before the timed copies and ends after them.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/copy/copy_within_gpu.hpp"
#include "benchmarks/copy/host_memory_load.hpp"
#include "benchmarks/copy/one_way.hpp"
#include "kernels/compute_load.hpp"
#include "measurement/gpu/fit.hpp"
#include "measurement/host_time.hpp"
#include "measurement/parameter.hpp"
#include "measurement/registered_benchmark.hpp"

namespace tocuda::benchmarks::busy {
namespace {

constexpr auto nothing = "nothing";
constexpr auto host_memory = "host_memory";
constexpr auto compute = "compute";

const std::string& beside(const Parameters& set) { return text(set, "beside"); }

// One thread is left for the caller. At most 32, because each has memory of its own.
std::size_t load_threads() {
    if (gpus_are_simulated()) return 2;
    return std::clamp<std::size_t>(usable_threads(), 2, 33) - 1;
}

// The loads that these sets ask for, made once.
class Loads {
public:
    Loads(const std::vector<Parameters>& sets, const Fit& fit) {
        const auto asked = [&](const char* what) {
            return std::any_of(sets.begin(), sets.end(),
                               [&](const auto& set) { return beside(set) == what && fit.why_skipped(set).empty(); });
        };
        if (asked(host_memory)) of_host = std::make_unique<HostMemoryLoad>(load_threads());
        if (asked(compute)) of_gpu = std::make_unique<ComputeLoad>();
    }

    void add_to(Trial& trial, const Parameters& set) const {
        auto& under = std::get<Queued>(trial.timing).under;
        if (beside(set) == host_memory) {
            trial.flags.push_back(std::to_string(load_threads()) + " threads stream through host memory meanwhile");
            under = [load = of_host.get()](const auto& timed) { return load->outlasts(timed, !gpus_are_simulated()); };
        }
        if (beside(set) == compute) under = [load = of_gpu.get()](const auto& timed) { return load->outlasts(timed); };
    }

    static std::size_t host_bytes(const Parameters& set) {
        return beside(set) == host_memory ? load_threads() * HostMemoryLoad::thread_bytes : 0;
    }

private:
    std::unique_ptr<HostMemoryLoad> of_host{};
    std::unique_ptr<ComputeLoad> of_gpu{};
};

class OverLink final : public QueuedCopy {
public:
    OverLink(const std::vector<Parameters>& sets, Direction way)
        : QueuedCopy(
              sets, way, [](std::size_t bytes) { return pinned_memory(bytes, cudaHostAllocDefault); }, Look::by_the_cpu,
              [](const Parameters& set) {
                  auto room = once_on_each_side(set);
                  room.host_bytes += Loads::host_bytes(set);
                  return room;
              }),
          loads(sets, fit) {}

protected:
    void operate(Trial& trial, const Parameters& set) override {
        QueuedCopy::operate(trial, set);
        trial.peak.counted = Counted::one_way;
        loads.add_to(trial, set);
    }

private:
    const Loads loads;
};

class WithinGpu final : public CopyWithinGpu {
public:
    explicit WithinGpu(const std::vector<Parameters>& sets) : CopyWithinGpu(sets), loads(sets, fit) {}

protected:
    void refine(Trial& trial, const Parameters& set) override { loads.add_to(trial, set); }

private:
    const Loads loads;
};

Benchmark described(std::string name, std::string summary, Values loads, Handling handling) {
    return {.name = "busy/" + std::move(name),
            .summary = std::move(summary),
            .how =
                "as without a load, and each batch while the load runs: it is started before the batch and ended "
                "after it, and a process whose load ended early does not count. `beside` takes turns within a "
                "process; compare its rows with `nothing`",
            .clock = Clock::device,
            .parameters = {{"bytes", {64 * mib}}, {"beside", {}}},
            .full = {{"beside", std::move(loads)}},
            .alternates = "beside",
            .needs = {.gpus = 1},
            .cost = {.bytes = handling}};
}

Measurable over_link(Direction way) {
    return {.benchmark = described(word(way),
                                   std::string("copy page-locked memory ") + aim(way) +
                                       " while the host's memory is busy or a kernel computes",
                                   {nothing, host_memory, compute}, handling_of(way)),
            .set_up = [way](const std::vector<Parameters>& sets) { return std::make_unique<OverLink>(sets, way); }};
}

Measurable within_gpu() {
    auto benchmark = described("device_to_device", "copy within the memory of one GPU while a kernel computes",
                               {nothing, compute}, Handling::on_gpu);
    benchmark.parameters["bytes"] = {256 * mib};  // the L2 cache holds too much of fewer
    benchmark.parameters["by"] = {"engine", "kernel"};
    return {.benchmark = std::move(benchmark),
            .set_up = [](const std::vector<Parameters>& sets) { return std::make_unique<WithinGpu>(sets); }};
}

const RegisteredBenchmark upwards{over_link(Direction::host_to_device)};
const RegisteredBenchmark downwards{over_link(Direction::device_to_host)};
const RegisteredBenchmark within{within_gpu()};

}  // namespace
}  // namespace tocuda::benchmarks::busy
