// tocuda, Apache-2.0.
// The latency of one load from the memory of another GPU, for each pair: the chase of latency/peer.
#include <memory>
#include <string>
#include <vector>

#include "benchmarks/pairs/pairs.hpp"
#include "kernels/timed_chase.hpp"
#include "measurement/registered_benchmark.hpp"

namespace tocuda::benchmarks::pair_latency {
namespace {

// GPU `to` loads.
struct Loader {
    Loader(int gpu, ChaseBy clock) : number(gpu), timer(clock) {}

    // Begins after what `main` holds, and `main` goes on when it has ended; `began` is an event of `main`'s GPU.
    void queue(const Stream& main, const Event& began, const Chase& chase) const {
        began.record(main);
        const OnDevice current(number);
        timer.queue().wait_for(began);
        timer.launch(timer.queue(), chase);
        ended.record(timer.queue());
        main.wait_for(ended);
    }

    int number;
    TimedChase timer;
    Event ended{cudaEventDisableTiming};
};

struct Link {
    std::unique_ptr<Owner> owner{};  // GPU `from`
    std::unique_ptr<DeviceMemory> memory{};
    std::unique_ptr<Loader> loader{};
    Course course{};
    Event began{cudaEventDisableTiming};

    double seconds() const {
        const OnDevice current(loader->number);
        return loader->timer.seconds_of(course);
    }

    std::string what_differs() const {
        owner->empty_cache();
        const OnDevice current(loader->number);
        return loader->timer.what_differs(course);
    }
};

ChaseBy by_of(const Parameters& set) { return text(set, "by") == "bulk" ? ChaseBy::bulk : ChaseBy::load; }

class PairLatency final : public Bench {
public:
    std::string why_skipped(const Parameters& set) const override {
        if (auto why = why_no_pair(set, count); !why.empty()) return why;
        const int from = gpu_of(set, "from");
        if (!have_access(from, gpu_of(set, "to"))) return why_no_peer_access;
        if (by_of(set) == ChaseBy::bulk) {
            const OnDevice loader(gpu_of(set, "to"));
            if (auto why = why_not_capable(gpu_facts(), 90); !why.empty()) return why;
        }
        const OnDevice current(from);
        return why_no_room({{from, allocated_bytes({bytes_of(set), Owner::evicting_bytes()})}});
    }

    Trial trial(const Parameters& set) override {
        const int from = gpu_of(set, "from");
        const int to = gpu_of(set, "to");
        const auto link = std::make_shared<Link>();
        {
            const OnDevice current(from);
            link->owner = std::make_unique<Owner>();
            link->memory = std::make_unique<DeviceMemory>(bytes_of(set));
        }
        const OnDevice current(to);
        link->loader = std::make_unique<Loader>(to, by_of(set));
        link->course = link->loader->timer.written_by(*link->owner, link->memory->get(), bytes_of(set));
        Trial trial{.compared = TimedChase::compared(),
                    .differs = [link] { return link->what_differs(); },
                    .prepare = [link] { link->owner->empty_cache(); },
                    .timing = SelfTimed{.seconds = [link] { return link->seconds(); },
                                        .together = chase_loads,
                                        .cycles = [link] { return link->loader->timer.cycles(); },
                                        .tick_seconds = link->loader->timer.tick_seconds(),
                                        .busy = {.operation = [link](const Stream& main) {
                                            link->loader->queue(main, link->began, link->course.chase);
                                        }}}};
        describe_gpus(trial, set, from == first_gpu || to == first_gpu);
        return trial;
    }

private:
    const int count = count_of_gpus();
};

const RegisteredBenchmark registered{{
    .benchmark = {.name = "pairs/latency",
                  .summary = "time of one load by GPU `to` from the memory of GPU `from`, each pair, one after another",
                  .how = "8,192 loads on lines that GPU `from` linked, each from the address that the one before "
                         "returned, timed in the kernel by the globaltimer of GPU `to`; the L2 cache of GPU `from` is "
                         "emptied first. With by=bulk each line of 128 bytes comes through shared memory by the copy "
                         "unit (TMA), and the next address is read there",
                  .clock = Clock::device,
                  .parameters = {{"bytes", {64 * mib}}, {"by", {"load"}}, {"from", {}}, {"to", {}}},
                  .full = {{"by", {"load", "bulk"}}, {"from", gpu_numbers()}, {"to", gpu_numbers()}},
                  .allowed = {{"bytes", {.least = chase_loads * line_bytes, .because = no_line_twice}},
                              {"from", allowed_gpus},
                              {"to", allowed_gpus}},
                  .needs = {.gpus = 2},
                  .cost = {.bytes = Handling::few},
                  .role = {.sheet = {{.order = 260,
                                      .section = "one load",
                                      .words = "from another GPU's memory",
                                      .having = "by=load",
                                      .figure = "peer_latency_ns",
                                      .time = true}},
                           .characterise = {""},
                           .pictures = {"pairs-of-gpus"}}},
    .set_up = [](const std::vector<Parameters>&) { return std::make_unique<PairLatency>(); },
}};

}  // namespace
}  // namespace tocuda::benchmarks::pair_latency
