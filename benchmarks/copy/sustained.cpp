// tocuda, Apache-2.0.
// Copies back to back for a minute, with the clock, the power and the temperature of the GPU in each second.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/copy/copy_within_gpu.hpp"
#include "benchmarks/copy/one_way.hpp"
#include "measurement/registered_benchmark.hpp"

namespace tocuda::benchmarks::sustained {
namespace {

class OverLink final : public QueuedCopy {
public:
    OverLink(const std::vector<Parameters>& sets, Direction way)
        : QueuedCopy(sets, way, [](std::size_t bytes) { return pinned_memory(bytes, cudaHostAllocDefault); }) {}

protected:
    void operate(Trial& trial, const Parameters& set) override {
        QueuedCopy::operate(trial, set);
        trial.peak.counted = Counted::one_way;
        std::get<Queued>(trial.timing).seconds = seconds_asked_for(set);
    }
};

class WithinGpu final : public CopyWithinGpu {
public:
    explicit WithinGpu(const std::vector<Parameters>& sets) : CopyWithinGpu(sets) {}

protected:
    void refine(Trial& trial, const Parameters& set) override {
        std::get<Queued>(trial.timing).seconds = seconds_asked_for(set);
    }
};

Benchmark described(std::string name, std::string summary, Handling handling) {
    return {.name = "sustained/" + std::move(name),
            .summary = std::move(summary),
            .how =
                "copies are queued back to back for `seconds`, in one process; a sample is the mean time of a copy "
                "within one second of the GPU's clock, and the SM clock, the power and the temperature are read "
                "after each. A flag says whether the last ten seconds were as fast as the first ten",
            .clock = Clock::device,
            .parameters = {{"bytes", {256 * mib}}, {std::string(lasting), {}}},
            .quick = {{"bytes", {}}},
            .full = {{std::string(lasting), {std::int64_t{60}}}},
            .allowed = {{"bytes", {.least = 64 * mib, .because = "the GPU must never wait for the host"}},
                        {std::string(lasting), {.least = 1, .most = 3600}}},
            .processes = 1,
            .needs = {.gpus = 1},
            .cost = {.bytes = handling}};
}

Measurable within_gpu() {
    auto benchmark = described("device_to_device", "copy within the memory of one GPU for a minute: does it hold?",
                               Handling::on_gpu);
    benchmark.parameters["by"] = {"kernel"};
    benchmark.full["by"] = {"engine", "kernel"};
    benchmark.role = {.sheet = {{.order = 50,
                                 .section = "GPU memory",
                                 .words = "copy for a minute, read and written",
                                 .having = "by=kernel",
                                 .figure = "memory_bytes_per_second",
                                 .touched = true}},
                      .characterise = {"by=kernel seconds=60"}};  // once
    return {.benchmark = std::move(benchmark),
            .set_up = [](const std::vector<Parameters>& sets) { return std::make_unique<WithinGpu>(sets); }};
}

Measurable upwards() {
    return {.benchmark = described("host_to_device", "copy page-locked memory to the GPU for a minute: does it hold?",
                                   Handling::to_gpu),
            .set_up = [](const std::vector<Parameters>& sets) {
                return std::make_unique<OverLink>(sets, Direction::host_to_device);
            }};
}

const RegisteredBenchmark of_memory{within_gpu()};
const RegisteredBenchmark of_link{upwards()};

}  // namespace
}  // namespace tocuda::benchmarks::sustained
