// tocuda, Apache-2.0.
// Copies between all GPUs of a machine: of each pair, from one to all others, from all others to one, all at once, and
// of disjoint pairs; and two at once within one GPU.
#include "benchmarks/pairs/pairs.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/pairs/peer_kernel.hpp"
#include "kernels/two_way_copy.hpp"
#include "measurement/check.hpp"
#include "measurement/host_time.hpp"
#include "measurement/parameter.hpp"
#include "measurement/registered_benchmark.hpp"

namespace tocuda::benchmarks::pairs {
namespace {

enum class Pattern { pair, one_to_all, all_to_one, all_to_all, halves, within };

struct Pair {
    int from = 0;
    int to = 0;
};

bool is_by_kernel(const std::string& by) { return by.ends_with("push") || by == "pull" || by == "bulk_pull"; }
bool is_bulk(const std::string& by) { return by.starts_with("bulk"); }
bool is_by_receiver(const std::string& by) { return by.ends_with("pull"); }

// What one GPU sends.
struct Source {
    Source(int device, std::size_t bytes) : gpu(device), memory(bytes) {}
    int gpu;
    Guarded memory;
    Stream stream{};
    std::size_t place = 0;  // of its payload
};

// What one GPU receives. The members belong to the GPU that was current when they were made.
struct Target {
    explicit Target(std::size_t bytes) : memory(bytes) {}
    Guarded memory;
    Stream checking{};
};

struct Received {
    Pair pair;
    const Source* source;
    std::unique_ptr<Target> target;
};

// The memory and the streams of one parameter set.
class Exchange {
public:
    Exchange(const std::vector<Pair>& pairs, const std::string& copier, std::size_t size, bool direct)
        : flows(copies_in_a_row(size)), bytes(size) {
        for (const auto& pair : pairs) add(pair);
        if (copier == "kernel") flows.add(first_gpu, by_one_kernel());
        else
            for (const auto& each : received) {
                const int runs_on = is_by_receiver(copier) ? each.pair.to : each.pair.from;
                const OnDevice current(runs_on);
                flows.add(runs_on, copy_of(each, copier), direct ? 1 : operations_through_the_host);
            }
    }

    // Each source has a new payload each time, so that bytes of an earlier copy or of another GPU are not taken for
    // those of this one; each GPU checks what it received itself.
    std::string what_differs() {
        for (auto& source : sources) {
            const OnDevice current(source->gpu);
            source->place = draw() / sizeof(std::uint64_t) * sizeof(std::uint64_t);
            write_payload(source->stream, {source->memory.at(), bytes}, source->place);
        }
        return what_differs_from(0);
    }

    Flows flows;

private:
    void add(Pair pair) {
        const auto& source = source_of(pair);
        const OnDevice receiver(pair.to);
        received.push_back({pair, &source, std::make_unique<Target>(bytes)});
    }

    // All copies from a GPU to others have the same source; within one GPU, the second would find it in the cache.
    const Source& source_of(Pair pair) {
        const auto known = std::find_if(sources.begin(), sources.end(), [&](const auto& source) {
            return source->gpu == pair.from && pair.from != pair.to;
        });
        if (known != sources.end()) return **known;
        const OnDevice sender(pair.from);
        return *sources.emplace_back(std::make_unique<Source>(pair.from, bytes));
    }

    // The GPU that runs it is the current one.
    std::function<void(const Stream&)> copy_of(const Received& what, const std::string& by) const {
        const auto pair = what.pair;
        auto* const to = what.target->memory.at();
        auto* const from = what.source->memory.at();
        if (is_bulk(by)) return bulk_peer_kernel(gpu_facts(), to, from, bytes);
        if (is_by_kernel(by)) return peer_kernel(gpu_facts(), to, from, bytes);
        return [=, size = bytes](const Stream& on) {
            require("cudaMemcpyPeerAsync", cudaMemcpyPeerAsync(to, pair.to, from, pair.from, size, on.get()));
        };
    }

    // Of two kernels, the second would wait until the first leaves multiprocessors free.
    std::function<void(const Stream&)> by_one_kernel() const {
        TwoCopies copies{.bytes = bytes};
        for (std::size_t i = 0; i < 2; ++i) {
            copies.to[i] = received.at(i).target->memory.at();
            copies.from[i] = received.at(i).source->memory.at();
        }
        return [copies](const Stream& on) { launch_two_copies(on, copies, 0); };
    }

    std::string what_differs_from(std::size_t number) {
        if (number == received.size()) {
            flows.run_once();
            return "";
        }
        const auto& [pair, source, target] = received[number];
        const OnDevice owner(pair.to);
        std::string later;
        const auto here = target->memory.what_differs(
            target->checking, bytes, [&] { later = what_differs_from(number + 1); }, 0, source->place);
        if (here.empty()) return later;
        return "GPU " + std::to_string(pair.from) + " to GPU " + std::to_string(pair.to) + ": " + here;
    }

    std::size_t bytes;
    std::vector<std::unique_ptr<Source>> sources{};
    std::vector<Received> received{};
    std::independent_bits_engine<std::mt19937_64, 56, std::uint64_t> draw{std::random_device{}()};
};

class Pairs final : public Bench {
public:
    explicit Pairs(Pattern measured) : pattern(measured), count(count_of_gpus()) {}

    std::string why_skipped(const Parameters& set) const override {
        const bool within = pattern == Pattern::within;
        if (auto why = within ? "" : why_no_pair(set, count); !why.empty()) return why;
        if (pattern == Pattern::pair)
            if (auto why = why_no_copy(set); !why.empty()) return why;
        std::map<int, std::size_t> needed;
        std::map<int, std::size_t> sources;
        for (const auto& [from, to] : pairs_of(set)) {
            if (is_by_kernel(text(set, "by")) && !can_access(from, to)) return why_no_peer_access;
            if (auto why = why_no_kernel(set, is_by_receiver(text(set, "by")) ? to : from); !why.empty()) return why;
            needed[to] += allocated_bytes({Guarded::allocated(bytes_of(set))});
            sources[from] = (within ? 2 : 1) * allocated_bytes({Guarded::allocated(bytes_of(set))});
        }
        for (const auto& [gpu, bytes] : sources) needed[gpu] += bytes;
        return why_no_room(needed);
    }

    Trial trial(const Parameters& set) override {
        const auto pairs = pairs_of(set);
        const bool within = pattern == Pattern::within;
        bool direct = true;
        for (const auto& [from, to] : pairs) direct = (within || set_access(from, to, !is_off(set))) && direct;
        const auto exchange = std::make_shared<Exchange>(pairs, text(set, "by"), bytes_of(set), direct);
        const auto copies = copies_in_a_row(bytes_of(set));
        const auto moved = static_cast<std::int64_t>(pairs.size()) * copies * whole(set, "bytes");
        Trial trial{.bytes_one_way = moved,
                    .bytes_touched = 2 * moved,
                    .compared = Guarded::compared() + (within ? "" : ", of each GPU by itself"),
                    .differs = [exchange] { return exchange->what_differs(); },
                    .timing = Queued{.operation = [exchange](const Stream& on) { exchange->flows.queue(on); },
                                     .commands = exchange->flows.operations()}};
        if (within) trial.peak = memory_peak(gpu_facts(), 4 * bytes_of(set));
        describe_gpus(trial, set, std::any_of(pairs.begin(), pairs.end(), [](const Pair& pair) {
                          return pair.from == first_gpu || pair.to == first_gpu;
                      }));
        trial.flags.emplace_back(several_copies(copies));
        if (!direct) trial.flags.emplace_back(through_the_host);
        if (gpus_are_simulated() && pairs.size() > 1 && is_by_kernel(text(set, "by")))
            trial.flags.emplace_back("simulated: kernels at once do not slow each other down");
        std::set<int> senders;
        for (const auto& pair : pairs)
            if (pair.from != pair.to) senders.insert(pair.from);
        if (auto counted = counted_by_nvlink(senders, moved / copies, exchange->flows); !counted.empty())
            trial.flags.push_back(std::move(counted));
        return trial;
    }

private:
    static bool is_off(const Parameters& set) { return set.contains("access") && text(set, "access") == "off"; }

    static std::string why_no_copy(const Parameters& set) {
        if (auto why = why_not_both_ways(set); !why.empty()) return why;
        if (!is_off(set)) return "";
        if (is_by_kernel(text(set, "by"))) return "a kernel on one GPU needs peer access to the other: access=on";
        const bool can = can_access(gpu_of(set, "from"), gpu_of(set, "to"));
        return can ? "" : "these GPUs have no peer access that could be switched off: see access=on";
    }

    static std::string why_no_kernel(const Parameters& set, int gpu) {
        if (!is_bulk(text(set, "by"))) return "";
        const OnDevice current(gpu);
        return why_no_bulk_kernel(gpu_facts(), bytes_of(set));
    }

    std::vector<Pair> pairs_of(const Parameters& set) const {
        if (pattern == Pattern::within) return {{first_gpu, first_gpu}, {first_gpu, first_gpu}};
        std::vector<Pair> pairs;
        if (pattern == Pattern::halves) {
            for (int from = 0; from < count; ++from) pairs.push_back({from, (from + count / 2) % count});
            return pairs;
        }
        const auto is = [&](const char* name, int gpu) { return !set.contains(name) || whole(set, name) == gpu; };
        for (int from = 0; from < count; ++from)
            for (int to = 0; to < count; ++to)
                if (from != to && is("from", from) && is("to", to)) pairs.push_back({from, to});
        if (pattern == Pattern::pair && text(set, "ways") == "both")
            pairs.push_back({pairs.front().to, pairs.front().from});
        return pairs;
    }

    const Pattern pattern;
    const int count;
};

std::unique_ptr<Bench> set_up(Pattern pattern) { return std::make_unique<Pairs>(pattern); }

Measurable measured(Pattern pattern, const char* name, const char* summary,
                    const std::vector<const char*>& parameters) {
    Benchmark benchmark{
        .name = std::string("pairs/") + name,
        .summary = summary,
        .how =
            "two events on a stream of the first GPU, around several copies in a row on each stream of "
            "the GPUs that take part, which do so before until the rate is steady; GB/s is the sum of "
            "all copies, `from` sends and `to` receives; by=bulk_push and by=bulk_pull are kernels whose copies go "
            "through shared memory in bulk (TMA), of the sender or the receiver, always with six tiles of 8 KiB in "
            "flight on each of two blocks of a multiprocessor",
        .clock = Clock::device,
        .parameters = {{"bytes", {64 * mib}}, {"by", {"engine", "engine_pull", "push", "pull"}}},
        .full = {{"bytes", {mib, 64 * mib, gib}},
                 {"by", {"engine", "engine_pull", "push", "pull", "bulk_push", "bulk_pull"}}},
        .needs = {.gpus = 2},
        .cost = {.bytes = Handling::on_gpu, .all_gpus = pattern != Pattern::pair}};
    for (const char* parameter : parameters) {
        benchmark.parameters[parameter] = {};
        benchmark.full[parameter] = gpu_numbers();
        benchmark.allowed[parameter] = allowed_gpus;
    }
    if (pattern == Pattern::pair) {
        benchmark.parameters["ways"] = {"one", "both"};
        benchmark.quick = {{"by", {"engine"}}, {"ways", {"one"}}};
        benchmark.parameters["access"] = {"on"};
        benchmark.full["access"] = {"on", "off"};
        benchmark.how +=
            "; with access=off neither GPU may access the other's memory, and the runtime copies through the host";
        benchmark.role = {.sheet = {{.order = 180,
                                     .section = "link",
                                     .words = "to another GPU",
                                     .having = "access=on by=engine ways=one",
                                     .figure = "peer_bytes_per_second"}},
                          .characterise = {"bytes=64MiB by=engine ways=one,both"},
                          .pictures = {"pairs-of-gpus"}};
    }
    return {.benchmark = std::move(benchmark),
            .set_up = [pattern](const std::vector<Parameters>&) { return set_up(pattern); }};
}

const RegisteredBenchmark copy{
    measured(Pattern::pair, "copy",
             "copy from one GPU to another, each pair: by the copy engine or a kernel of either, one way or both",
             {"from", "to"})};
const RegisteredBenchmark one_to_all{
    measured(Pattern::one_to_all, "one_to_all", "copy from one GPU to all others at once", {"from"})};
const RegisteredBenchmark all_to_one{
    measured(Pattern::all_to_one, "all_to_one", "copy from all other GPUs to one at once", {"to"})};
const RegisteredBenchmark all_to_all{
    measured(Pattern::all_to_all, "all_to_all", "copy from each GPU to all others, all at once", {})};
const RegisteredBenchmark halves{
    measured(Pattern::halves, "halves", "copy from each GPU to the one half the machine away, all at once", {})};

const RegisteredBenchmark within{{
    .benchmark = {.name = "copy/device_to_device/both_ways",
                  .summary =
                      "two copies within the memory of one GPU at once, each with a source and a target of its own",
                  .how = "two events on a stream, around several copies in a row on each of two others, or around "
                         "several kernels, in "
                         "each of which warps take turns in the two copies; GB/s is the sum",
                  .clock = Clock::device,
                  .parameters = {{"bytes", {}}, {"by", {"engine", "kernel"}}},
                  .full = {{"bytes", {64 * mib, gib}}},
                  .needs = {.gpus = 1},
                  .cost = {.bytes = Handling::on_gpu}},
    .set_up = [](const std::vector<Parameters>&) { return set_up(Pattern::within); },
}};

}  // namespace
}  // namespace tocuda::benchmarks::pairs
