// tocuda, Apache-2.0.
// The latency of one load from the memory of another GPU, for each pair: the chase of latency/peer.
#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernels/benchmarks/pairs.hpp"
#include "kernels/benchmarks/timed_chase.hpp"
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
struct Loader {
    explicit Loader(int gpu) : number(gpu) {}

    // Between what `main` holds and what it gets later; `began` is an event of the same GPU as `main`.
    void queue(const Stream& main, const Event& began, const Chase& chase) const {
        began.record(main);
        const OnDevice current(number);
        timer.queue().wait_for(began);
        timer.launch(timer.queue(), chase);
        ended.record(timer.queue());
        main.wait_for(ended);
    }

    int number;
    TimedChase timer{};
    Event ended{cudaEventDisableTiming};
};

struct Link {
    std::vector<std::uint64_t> lines;
    std::unique_ptr<Owner> owner{};
    std::unique_ptr<Loader> loader{};
    Chase chase{};
    Event began{cudaEventDisableTiming};

    double seconds() const {
        const OnDevice current(loader->number);
        return loader->timer.seconds_of(chase) / double{chase_loads};
    }

    std::string what_differs() const {
        owner->empty_cache();
        const OnDevice current(loader->number);
        return loader->timer.what_differs(chase, Chased::expected(owner->at(), lines));
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
        return {.compared = "where the chase ends, the sum of the addresses it loaded, and that both clocks advanced",
                .differs = [link] { return link->what_differs(); },
                .queue = [link](const Stream& main) { link->loader->queue(main, link->began, link->chase); },
                .prepare = [link] { link->owner->empty_cache(); },
                .timed = [link] { return link->seconds(); }};
    }

private:
    static int gpu_of(const Parameters& set, const char* which) { return static_cast<int>(whole(set, which)); }

    const int count = count_of_gpus();
};

const RegisteredBenchmark registered{{
    .benchmark = {.name = "pairs/latency",
                  .summary = "time of one load by GPU `to` from the memory of GPU `from`, each pair, one after another",
                  .how = "8,192 loads, each from the address that the one before returned, timed in the kernel by the "
                         "clock of GPU `to`; the L2 cache of GPU `from` is emptied first",
                  .clock = Clock::device,
                  .parameters = {{"bytes", {64 * mib}}, {"from", {}}, {"to", {}}},
                  .full = {{"from", gpu_numbers()}, {"to", gpu_numbers()}},
                  .needs = {.gpus = 2}},
    .set_up = [](const std::vector<Parameters>&) { return std::make_unique<PairLatency>(); },
}};

}  // namespace
}  // namespace tocuda::kernels::pair_latency
