// tocuda, Apache-2.0.
// The latency of one load, by where the memory is and over how much of it the lines are spread: a chase of pointers on
// a random cycle.
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include "benchmarks/copy/managed_memory.hpp"
#include "kernels/timed_chase.hpp"
#include "measurement/cuda_objects.hpp"
#include "measurement/gpu/fit.hpp"
#include "measurement/gpu/gpu_facts.hpp"
#include "measurement/gpu/host_memory.hpp"
#include "measurement/gpu/peer_access.hpp"
#include "measurement/host_time.hpp"
#include "measurement/parameter.hpp"
#include "measurement/registered_benchmark.hpp"

namespace tocuda::benchmarks::latency {
namespace {

enum class Where { device, in_bulk, host, peer, managed, managed_peer, managed_by_host };

bool is_managed(Where where) { return where >= Where::managed; }
bool is_on_gpu(Where where) { return where == Where::device || where == Where::in_bulk; }
bool needs_two(Where where) { return where == Where::peer || where == Where::managed_peer; }

// Memory of any kind, and the GPU's address of it.
struct Chaseable {
    std::byte* at = nullptr;
    std::shared_ptr<void> owner{};
};

class Latency final : public Bench {
public:
    Latency(const std::vector<Parameters>& sets, Where place)
        : where(place), fit([place, evicting = Owner::evicting_bytes()](const Parameters& set) -> Room {
              const auto bytes = bytes_of(set);
              const auto here = is_on_gpu(place) || is_managed(place) ? bytes : 0;
              return {.host_bytes = place == Where::host || is_managed(place) ? bytes : 0,
                      .device_bytes = place == Where::peer ? 0 : allocated_bytes({here, evicting})};
          }) {
        unavailable = why_unavailable();
        if (!unavailable.empty()) return;
        const auto most = largest_that_fits(sets, [this](const Parameters& set) { return why_skipped(set).empty(); });
        if (most == 0) return;
        memory = allocated(most);
        const OnDevice current(gpu_of_memory());
        owner.emplace();
    }

    std::string why_skipped(const Parameters& set) const override {
        if (!unavailable.empty()) return unavailable;
        const auto bytes = bytes_of(set);
        if (is_managed(where) && whole(set, "bytes") > most_managed)
            return "at most " + std::to_string(most_managed) + " bytes of managed memory are supported";
        if (is_on_gpu(where) && l2_bytes == 0)
            return "the size of the L2 cache is needed; the runtime does not report it";
        if (needs_two(where))
            if (auto why = why_no_room(allocated_bytes({bytes, Owner::evicting_bytes()}), free_there,
                                       "of the other GPU's memory");
                !why.empty())
                return why;
        if (auto why = fit.why_not_simulated(bytes); !why.empty()) return why;
        return fit.why_skipped(set);
    }

    Trial trial(const Parameters& set) override {
        const auto bytes = bytes_of(set);
        auto course = where == Where::peer ? timer.written_by(*owner, memory.at, bytes)
                                           : owner->write(memory.at, bytes, random_cycle(bytes, bytes));
        if (is_on_gpu(where) && bytes <= l2_bytes) course.chase.warm_loads = visited_lines(bytes);
        const bool touched = where == Where::managed && text(set, "pages") == "touched";
        const auto prepare = [this, touched, chase = course.chase] { make_ready(chase, touched); };
        if (where == Where::managed_by_host) return by_host(course, prepare);
        return {.compared = TimedChase::compared(),
                .differs =
                    [this, prepare, course] {
                        prepare();
                        return timer.what_differs(course);
                    },
                .prepare = prepare,
                .timing = SelfTimed{
                    .seconds = [this, course] { return timer.seconds_of(course); },
                    .together = chase_loads,
                    .cycles = [this] { return timer.cycles(); },
                    .tick_seconds = timer.tick_seconds(),
                    .busy = {.operation = [this, chase = course.chase](const Stream& on) { timer.launch(on, chase); }}},
                .peer = peer};
    }

private:
    static Chased chased_on_host(const Chase& chase) {
        const auto found = chased_by_host(chase);
        host_touched(chase.memory, chase.working_set);
        return found;
    }

    Trial by_host(const Course& course, const std::function<void()>& prepare) const {
        Trial trial{.compared = "where each chase ends, and the sum of the addresses it loaded",
                    .differs =
                        [prepare, course] {
                            prepare();
                            return TimedChase::where_it_went(chased_on_host(course.chase), course.expected);
                        },
                    .prepare = prepare,
                    .timing = SelfTimed{.seconds =
                                            [course] {
                                                const auto began = host_seconds();
                                                const auto found = chased_on_host(course.chase);
                                                const auto seconds = host_seconds() - began;
                                                const auto why = TimedChase::where_it_went(found, course.expected);
                                                return why.empty() ? seconds : throw std::runtime_error(why);
                                            },
                                        .together = chase_loads}};
        if (attribute(cudaDevAttrPageableMemoryAccessUsesHostPageTables) != 0)
            trial.flags.emplace_back("the GPU uses the host's page tables: pages may be read where they are");
        return trial;
    }

    std::string why_unavailable() {
        if (where == Where::in_bulk) return why_not_capable(gpu_facts(), 90);
        if (is_managed(where))
            if (auto why = why_no_managed_pages(); !why.empty()) return why;
        if (!needs_two(where)) return "";
        if (count_of_gpus() < 2) return "2 GPUs are needed; there is 1";
        if (where == Where::peer && !enabled_peer_access()) return why_no_peer_access;
        const OnDevice other(second_gpu);
        free_there = free_device_bytes();
        peer = uuid_of_current_device();
        return is_managed(where) ? why_no_managed_pages() : "";
    }

    int gpu_of_memory() const { return where == Where::peer ? second_gpu : first_gpu; }

    Chaseable allocated(std::size_t bytes) const {
        if (where == Where::host) {
            const auto pinned = std::make_shared<HostMemory>(pinned_memory(bytes, cudaHostAllocMapped));
            return {as_the_gpu_sees(pinned->get()), pinned};
        }
        if (is_managed(where)) {
            const auto managed = std::make_shared<ManagedMemory>(bytes);
            return {managed->get(), managed};
        }
        const OnDevice current(gpu_of_memory());
        const auto on_gpu = std::make_shared<DeviceMemory>(bytes);
        return {on_gpu->get(), on_gpu};
    }

    // The first pass moves managed pages to the GPU; then they go where they are to fault. What the caches cannot hold,
    // or must not, is evicted from the L2 cache; the L1 cache is empty at the start of a kernel.
    void make_ready(const Chase& chase, bool touched) const {
        const auto& stream = timer.queue();
        timer.launch(stream, chase);
        const bool to_host = where == Where::managed;
        const cudaMemLocation place{.type = to_host ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice,
                                    .id = where == Where::managed_peer ? second_gpu : first_gpu};
        if (is_managed(where) && !touched)
            require("cudaMemPrefetchAsync",
                    cudaMemPrefetchAsync(chase.memory, chase.working_set, place, 0, stream.get()));
        stream.synchronize();
        if (chase.warm_loads == 0) owner->empty_cache();
    }

    const Where where;
    const std::size_t l2_bytes = gpu_facts().l2_bytes;
    const Fit fit;
    std::size_t free_there = 0;
    std::string peer{};
    std::string unavailable{};
    TimedChase timer{where == Where::in_bulk ? ChaseBy::bulk : ChaseBy::load};
    Chaseable memory{};
    std::optional<Owner> owner{};
};

Measurable measured(Where where, Benchmark benchmark) {
    benchmark.name = "latency/" + benchmark.name;
    benchmark.how =
        "one thread makes 8,192 loads on a random cycle of lines of 128 bytes, each from the address that the load "
        "before returned, and the kernel reads the GPU's globaltimer and the multiprocessor's cycles before and after; "
        "the median is the time of one load. At most 8,191 lines, which are 1 MiB, are visited. ";
    if (where == Where::in_bulk)
        benchmark.how +=
            "Each line comes through shared memory by the copy unit (TMA), past L1, and the next address is "
            "read there: what is added to a load of latency/device is the unit, its barrier and a load from "
            "shared memory. ";
    benchmark.how += is_on_gpu(where)
                         ? "A set up to the size that the driver reports of the L2 cache is visited once before; for a "
                           "larger one that cache is emptied first. So a step up to 1 MiB is a level that no longer "
                           "holds the set. The step at the reported size is made by the benchmark: it shows the "
                           "latencies on both sides of it, and says nothing of how much the L2 cache holds. What rises "
                           "beyond is the reach of the address translation"
                         : "The L2 cache of the GPU that owns the memory, or that loads from the host's, is emptied "
                           "first";
    if (is_managed(where))
        benchmark.how +=
            ". Pages that lie elsewhere, on the host (pages=fresh) or on another GPU (managed_peer), fault and move "
            "when "
            "they are first loaded from, several at a time; the median spreads that over all loads";
    if (where == Where::managed_by_host)
        benchmark.how =
            "one thread of the host makes 8,192 loads on a random cycle of lines of 128 bytes, each from the address "
            "that the load before returned, by the host's clock; the median is the time of one load. The pages lie on "
            "the GPU, fault and move when they are first loaded from, several at a time, which the median spreads over "
            "all loads";
    benchmark.clock = where == Where::managed_by_host ? Clock::host : Clock::device;
    benchmark.allowed["bytes"] = {.least = chase_loads * line_bytes, .because = no_line_twice};
    if (is_on_gpu(where)) benchmark.allowed["bytes"] = {.least = 4 * line_bytes};
    benchmark.needs.gpus = needs_two(where) ? 2 : 1;
    benchmark.cost.bytes = Handling::few;
    benchmark.role.pictures = {"latency-by-working-set"};
    return {.benchmark = std::move(benchmark),
            .set_up = [where](const std::vector<Parameters>& sets) { return std::make_unique<Latency>(sets, where); }};
}

const RegisteredBenchmark of_device{measured(
    Where::device,
    {.name = "device",
     .summary = "time of one load from the GPU's memory that waits for the one before, by working set: L1, L2, memory",
     .parameters = {{"bytes",
                     {4 * kib, 16 * kib, 64 * kib, 256 * kib, mib, 4 * mib, 16 * mib, 32 * mib, 64 * mib, 256 * mib,
                      gib, 4 * gib}}},
     .quick = {{"bytes", {16 * kib, 2 * mib, 256 * mib}}},
     .full = {{"bytes", powers_of_two(4 * kib, 64 * gib)}},
     .role = {.sheet = {{.order = 200,
                         .section = "one load",
                         .words = "spread over 4 KiB",
                         .having = "bytes=4096",
                         .figure = "l1_latency_ns",
                         .time = true},
                        {.order = 210,
                         .section = "one load",
                         .words = "spread over 4 MiB",
                         .having = "bytes=4194304",
                         .time = true},
                        {.order = 240,
                         .section = "one load",
                         .words = "spread over 4 GiB",
                         .having = "bytes=4294967296",
                         .figure = "memory_latency_ns",
                         .time = true}},
              .characterise = {"bytes=4KiB..4GiB"}}})};
const RegisteredBenchmark of_bulk_loads{measured(
    Where::in_bulk,
    {.name = "bulk",
     .summary = "time of one bulk load (TMA) into shared memory that waits for the one before: from L2, from memory",
     .parameters = {{"bytes", {}}},
     .quick = {{"bytes", {}}},
     .full = {{"bytes", powers_of_two(mib, 16 * gib)}},
     .needs = {.compute_capability = "9.0"}})};
const RegisteredBenchmark of_host{
    measured(Where::host, {.name = "host",
                           .summary = "time of one load from page-locked host memory that waits for the one before",
                           .parameters = {{"bytes", {16 * mib}}},
                           .quick = {{"bytes", {}}},
                           .full = {{"bytes", powers_of_two(mib, gib)}},
                           .role = {.sheet = {{.order = 250,
                                               .section = "one load",
                                               .words = "from the host's memory",
                                               .figure = "host_latency_ns",
                                               .time = true}},
                                    .characterise = {"bytes=16MiB"}}})};
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
const RegisteredBenchmark of_managed_peer{
    measured(Where::managed_peer,
             {.name = "managed_peer",
              .summary = "time of one load from managed memory on another GPU that waits for the one before: faulting",
              .parameters = {{"bytes", {}}},
              .quick = {{"bytes", {}}},
              .full = {{"bytes", powers_of_two(mib, gib)}}})};
const RegisteredBenchmark of_managed_by_host{
    measured(Where::managed_by_host,
             {.name = "managed_by_host",
              .summary = "time of one load by the host from managed memory on the GPU that waits for the one before",
              .parameters = {{"bytes", {}}},
              .quick = {{"bytes", {}}},
              .full = {{"bytes", powers_of_two(mib, gib)}}})};

}  // namespace
}  // namespace tocuda::benchmarks::latency
