// tocuda, Apache-2.0.
// The latency of one load, by where the memory is and how much of it is in use: a chase of pointers on a random cycle.
#include <memory>
#include <optional>
#include <string>

#include "kernels/benchmarks/peer_access.hpp"
#include "kernels/benchmarks/timed_chase.hpp"
#include "measurement/device_memory.hpp"
#include "measurement/free_host_memory.hpp"
#include "measurement/gpu/fit.hpp"
#include "measurement/gpu/gpu_facts.hpp"
#include "measurement/parameter.hpp"
#include "measurement/registered_benchmark.hpp"
#include "runtime_calls/host_memory.hpp"
#include "runtime_calls/host_work.hpp"
#include "runtime_calls/managed_memory.hpp"

namespace tocuda::kernels::latency {
namespace {

enum class Where { device, host, peer, managed };

// Memory of any kind, and the GPU's address of it.
struct Chaseable {
    std::byte* at = nullptr;
    std::shared_ptr<void> owner{};
};

class Latency final : public Bench {
public:
    Latency(const std::vector<Parameters>& sets, Where place)
        : where(place), l2_bytes(gpu_facts().l2_bytes), fit([place](const Parameters& set) -> Room {
              const auto bytes = bytes_of(set);
              return {.host_bytes = place == Where::host || place == Where::managed ? bytes : 0,
                      .device_bytes = place == Where::device || place == Where::managed ? bytes : 0};
          }) {
        unavailable = why_unavailable();
        if (!unavailable.empty()) return;
        const auto most = largest_that_fits(sets, [this](const Parameters& set) { return why_skipped(set).empty(); });
        if (most != 0) memory = allocated(most);
        const OnDevice owner(gpu_of_memory());
        evicting.emplace(std::max<std::size_t>(1, 2 * l2_bytes));
    }

    std::string why_skipped(const Parameters& set) const override {
        if (!unavailable.empty()) return unavailable;
        const auto bytes = bytes_of(set);
        if (where == Where::managed) {
            if (auto why = why_not_among(set, "pages", {"touched", "fresh"}); !why.empty()) return why;
            if (whole(set, "bytes") > most_managed)
                return "at most " + std::to_string(most_managed) + " bytes of managed memory are supported";
        }
        const auto least = where == Where::device ? 4 * line_bytes : chase_loads * line_bytes;
        if (bytes < least)
            return "at least " + std::to_string(least) + " bytes are needed" +
                   (where == Where::device ? "" : ", so that no line is loaded twice");
        if (where == Where::peer)
            if (auto why = why_no_room(allocated_bytes({bytes}), free_there, "of the other GPU's memory"); !why.empty())
                return why;
        const auto free = gpus_are_simulated() ? free_at_first : std::nullopt;
        if (free && bytes > *free / 4)
            return std::to_string(bytes) +
                   " bytes are more than a quarter of the host's free memory, and a simulated "
                   "GPU keeps its memory there; a smaller size is needed";
        return fit.why_skipped(set);
    }

    Trial trial(const Parameters& set) override {
        const auto bytes = bytes_of(set);
        const auto cycle = random_cycle(bytes, bytes);
        const bool cached = where == Where::device && bytes <= l2_bytes;
        const Chase chase{
            .memory = memory.at, .working_set = bytes, .first = cycle.front(), .warm_loads = cached ? cycle.size() : 0};
        const bool fresh = where == Where::managed && text(set, "pages") == "fresh";
        return {.compared = "where the chase ends, the sum of the addresses it loaded, and that both clocks advanced",
                .differs = [this, chase, cycle] { return what_differs(chase, cycle); },
                .queue = [this, chase](const Stream& on) { timer.launch(on, chase); },
                .timed =
                    [this, chase, fresh] {
                        make_ready(chase, fresh);
                        return timer.seconds_of(chase) / static_cast<double>(chase.loads);
                    },
                .peer = peer};
    }

private:
    std::string why_unavailable() {
        if (where == Where::managed) return why_no_managed_pages();
        if (where != Where::peer) return "";
        if (count_of_gpus() < 2) return "2 GPUs are needed; there is 1";
        if (!enabled_peer_access()) return why_no_peer_access;
        const OnDevice other(second_gpu);
        free_there = free_device_bytes();
        peer = uuid_of_current_device();
        return "";
    }

    int gpu_of_memory() const { return where == Where::peer ? second_gpu : first_gpu; }

    Chaseable allocated(std::size_t bytes) const {
        if (where == Where::host) {
            const auto pinned = std::make_shared<HostMemory>(pinned_memory(bytes, cudaHostAllocMapped));
            return {as_the_gpu_sees(pinned->get()), pinned};
        }
        if (where == Where::managed) {
            const auto managed = std::make_shared<ManagedMemory>(bytes);
            return {managed->get(), managed};
        }
        const OnDevice owner(gpu_of_memory());
        const auto on_gpu = std::make_shared<DeviceMemory>(bytes);
        return {on_gpu->get(), on_gpu};
    }

    // The first pass moves managed pages to the GPU, unless they are to be fresh. What the caches cannot hold, or must
    // not, is evicted from the L2 cache; the L1 cache is empty at the start of a kernel.
    void make_ready(const Chase& chase, bool fresh) const {
        const auto& stream = timer.queue();
        timer.launch(stream, chase);
        if (fresh)
            require("cudaMemPrefetchAsync",
                    cudaMemPrefetchAsync(chase.memory, chase.working_set, {.type = cudaMemLocationTypeHost, .id = 0}, 0,
                                         stream.get()));
        if (chase.warm_loads == 0)
            require("cudaMemsetAsync",
                    cudaMemsetAsync(evicting->get(), 0, std::max<std::size_t>(1, 2 * l2_bytes), stream.get()));
        stream.synchronize();
    }

    std::string what_differs(const Chase& chase, const std::vector<std::uint64_t>& cycle) const {
        const DeviceMemory lines(cycle.size() * sizeof(std::uint64_t));
        upload(lines.get(), std::as_bytes(std::span(cycle)), timer.queue());
        write_cycle(timer.queue(), memory.at, reinterpret_cast<const std::uint64_t*>(lines.get()), cycle.size());
        return timer.what_differs(chase, Chased::expected(memory.at, cycle));
    }

    const Where where;
    const std::size_t l2_bytes;
    const std::optional<std::size_t> free_at_first = free_host_bytes();
    const Fit fit;
    std::size_t free_there = 0;
    std::string peer{};
    std::string unavailable{};
    TimedChase timer{};
    Chaseable memory{};
    std::optional<DeviceMemory> evicting{};  // written to empty the L2 cache of the GPU whose memory is measured
};

Measurable measured(Where where, Benchmark benchmark) {
    benchmark.name = "latency/" + benchmark.name;
    benchmark.how =
        "one thread makes 8,192 loads on a random cycle of lines of 128 bytes, each from the address that the load "
        "before returned, between two readings of the GPU's own clocks in the kernel; the median is the time of one "
        "load. Working sets that fit the L2 cache are visited once before; otherwise that cache is emptied first. A "
        "step of the curve is a level that no longer holds the working set, and what rises beyond the last one is "
        "the reach of the address translation";
    benchmark.clock = Clock::device;
    benchmark.needs.gpus = where == Where::peer ? 2 : 1;
    return {.benchmark = std::move(benchmark),
            .set_up = [where](const std::vector<Parameters>& sets) { return std::make_unique<Latency>(sets, where); }};
}

Values powers_of_two(std::int64_t least, std::int64_t most) {
    Values values;
    for (auto bytes = least; bytes <= most; bytes *= 2) values.emplace_back(bytes);
    return values;
}

const RegisteredBenchmark of_device{measured(
    Where::device,
    {.name = "device",
     .summary = "time of one load from the GPU's memory that waits for the one before, by working set: L1, L2, memory",
     .parameters = {{"bytes",
                     {4 * kib, 16 * kib, 64 * kib, 256 * kib, mib, 4 * mib, 16 * mib, 32 * mib, 64 * mib, 256 * mib,
                      gib, 4 * gib}}},
     .quick = {{"bytes", {16 * kib, 2 * mib, 256 * mib}}},
     .full = {{"bytes", powers_of_two(4 * kib, 64 * gib)}}})};
const RegisteredBenchmark of_host{
    measured(Where::host, {.name = "host",
                           .summary = "time of one load from page-locked host memory that waits for the one before",
                           .parameters = {{"bytes", {16 * mib}}},
                           .quick = {{"bytes", {}}},
                           .full = {{"bytes", powers_of_two(mib, gib)}}})};
const RegisteredBenchmark of_peer{
    measured(Where::peer, {.name = "peer",
                           .summary = "time of one load from another GPU's memory that waits for the one before",
                           .parameters = {{"bytes", {64 * mib}}},
                           .quick = {{"bytes", {}}},
                           .full = {{"bytes", powers_of_two(mib, 16 * gib)}}})};
const RegisteredBenchmark of_managed{
    measured(Where::managed,
             {.name = "managed",
              .summary = "time of one load from managed memory that waits for the one before: on the GPU, or faulting",
              .parameters = {{"bytes", {}}, {"pages", {"touched"}}},
              .quick = {{"bytes", {}}},
              .full = {{"bytes", powers_of_two(mib, gib)}, {"pages", {"touched", "fresh"}}}})};

}  // namespace
}  // namespace tocuda::kernels::latency
