// tocuda, Apache-2.0.
// The latency of one load from the memory of another GPU, for each pair: the chase of latency/peer.
#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernels/benchmarks/pairs.hpp"
#include "kernels/chase.hpp"
#include "measurement/gpu/gpu_facts.hpp"
#include "measurement/registered_benchmark.hpp"

namespace tocuda::kernels::pair_latency {
namespace {

// GPU `from` holds the memory.
class Owner {
public:
    Owner(int gpu, std::size_t bytes, const std::vector<std::uint64_t>& lines)
        : number(gpu), evicted(std::max<std::size_t>(1, 2 * gpu_facts().l2_bytes)), memory(bytes), evicting(evicted) {
        const DeviceMemory cycle(lines.size() * sizeof(std::uint64_t));
        upload(cycle.get(), std::as_bytes(std::span(lines)), stream);
        write_cycle(stream, memory.get(), reinterpret_cast<const std::uint64_t*>(cycle.get()), lines.size());
        stream.synchronize();
    }

    // Leaves none of the chased lines in the L2 cache.
    void empty_cache() const {
        const OnDevice current(number);
        require("cudaMemsetAsync", cudaMemsetAsync(evicting.get(), 0, evicted, stream.get()));
        stream.synchronize();
    }
    const std::byte* at() const { return memory.get(); }

private:
    int number;
    std::size_t evicted;
    Stream stream{};
    DeviceMemory memory;
    DeviceMemory evicting;
};

// GPU `to` loads.
class Loader {
public:
    explicit Loader(int gpu) : number(gpu) {}

    Chased chased(const Chase& chase) const {
        const OnDevice current(number);
        *result.host() = {};
        launch_chase(stream, chase, result.device());
        stream.synchronize();
        return *result.host();
    }

    // Between what `main` holds and what it gets later; `began` is an event of the same GPU as `main`.
    void queue(const Stream& main, const Event& began, const Chase& chase) const {
        began.record(main);
        const OnDevice current(number);
        stream.wait_for(began);
        launch_chase(stream, chase, result.device());
        after.record(stream);
        main.wait_for(after);
    }

    // The clocks of a simulated GPU stand still while a kernel runs: there, it is the time between two events, less
    // that of the same kernel without the loads.
    double seconds_of(Chase chase) const {
        if (!gpus_are_simulated()) return 1e-9 * static_cast<double>(chased(chase).nanoseconds);
        const auto whole = seconds_between_events(chase);
        chase.loads = 0;
        return whole - seconds_between_events(chase);
    }

private:
    double seconds_between_events(const Chase& chase) const {
        const OnDevice current(number);
        before.record(stream);
        launch_chase(stream, chase, result.device());
        after.record(stream);
        stream.synchronize();
        return seconds_between(before, after);
    }

    int number;
    Stream stream{};
    Event before{};
    Event after{};
    MappedMemory<Chased> result{};
};

struct Link {
    std::vector<std::uint64_t> lines;
    std::unique_ptr<Owner> owner{};
    std::unique_ptr<Loader> loader{};
    Chase chase{};
    Event began{};

    std::string what_differs() const {
        owner->empty_cache();
        const auto found = loader->chased(chase);
        const auto expected = Chased::expected(owner->at(), lines);
        if (found.end != expected.end) return "the chase ends at another line than its links say";
        if (found.sum != expected.sum) return "the chase went through other lines than its links say";
        const bool advanced = found.cycles > 0 && found.nanoseconds > 0;
        return advanced || gpus_are_simulated() ? "" : "the GPU's clocks did not advance during the chase";
    }
};

class PairLatency final : public Bench {
public:
    std::string why_skipped(const Parameters& set) const override {
        if (auto why = why_no_pair(set, count); !why.empty()) return why;
        const int from = gpu_of(set, "from");
        if (!have_access(from, gpu_of(set, "to"))) return why_no_peer_access;
        if (bytes_of(set) < chase_loads * line_bytes)
            return "at least " + std::to_string(chase_loads * line_bytes) +
                   " bytes are needed, so that no line is loaded twice";
        const OnDevice owner(from);
        return why_no_room({{from, allocated_bytes({bytes_of(set), 2 * gpu_facts().l2_bytes})}});
    }

    Trial trial(const Parameters& set) override {
        const auto bytes = bytes_of(set);
        const auto link = std::make_shared<Link>(Link{.lines = random_cycle(bytes, bytes)});
        {
            const OnDevice current(gpu_of(set, "from"));
            link->owner = std::make_unique<Owner>(gpu_of(set, "from"), bytes, link->lines);
        }
        {
            const OnDevice current(gpu_of(set, "to"));
            link->loader = std::make_unique<Loader>(gpu_of(set, "to"));
        }
        link->chase = {.memory = link->owner->at(), .working_set = bytes, .first = link->lines.front()};
        return {.compared = "where the chase ends, and the sum of the addresses it loaded",
                .differs = [link] { return link->what_differs(); },
                .queue = [link](const Stream& main) { link->loader->queue(main, link->began, link->chase); },
                .prepare = [link] { link->owner->empty_cache(); },
                .timed = [link] { return link->loader->seconds_of(link->chase) / double{chase_loads}; }};
    }

private:
    static int gpu_of(const Parameters& set, const char* which) { return static_cast<int>(whole(set, which)); }

    const int count = count_of_gpus();
};

const RegisteredBenchmark registered{{
    .benchmark = {.name = "pairs/latency",
                  .summary = "time of one load by GPU `to` from the memory of GPU `from`, each pair, one after another",
                  .clock = Clock::device,
                  .parameters = {{"bytes", {64 * mib}}, {"from", {}}, {"to", {}}},
                  .full = {{"from", gpu_numbers()}, {"to", gpu_numbers()}},
                  .needs = {.gpus = 2}},
    .set_up = [](const std::vector<Parameters>&) { return std::make_unique<PairLatency>(); },
}};

}  // namespace
}  // namespace tocuda::kernels::pair_latency
