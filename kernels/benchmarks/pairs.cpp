// tocuda, Apache-2.0.
// Copies between all GPUs of a machine: of each pair, from one to all others, from all others to one, and all at once.
#include "kernels/benchmarks/pairs.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "kernels/benchmarks/peer_kernel.hpp"
#include "measurement/check.hpp"
#include "measurement/guarded.hpp"
#include "measurement/parameter.hpp"
#include "measurement/registered_benchmark.hpp"

namespace tocuda::kernels::pairs {
namespace {

enum class Pattern { pair, one_to_all, all_to_one, all_to_all };

struct Pair {
    int from = 0;
    int to = 0;
};

bool is_by_kernel(const std::string& by) { return by == "push" || by == "pull"; }

// An operation has several copies in a row, because starting and joining streams of several GPUs takes microseconds.
constexpr std::int64_t copies_in_a_row = 4;

// What one GPU sends.
struct Source {
    explicit Source(std::size_t bytes) : memory(bytes) {}
    Guarded memory;
    Stream stream{};
    std::size_t place = 0;  // of its payload
};

// What one GPU receives from another.
struct Target {
    explicit Target(std::size_t bytes) : memory(bytes) {}
    Guarded memory;
    Stream checking{};
};

struct Runner {
    Stream stream{};
    Event ended{cudaEventDisableTiming};
};

// One direction of a pair. The members belong to the GPU that was current when they were made.
struct Flow {
    Pair pair;
    int runs_on;
    std::unique_ptr<Target> target;
    std::unique_ptr<Runner> runner;
    std::function<void(const Stream&)> copy;
};

// The memory and the streams of one parameter set.
class Exchange {
public:
    Exchange(const std::vector<Pair>& pairs, const std::string& by, std::size_t size) : bytes(size) {
        for (const auto& pair : pairs) add(pair, by);
    }

    // All flows begin after what `main` holds, and `main` goes on when all have ended.
    void queue(const Stream& main, std::int64_t copies) const {
        started.record(main);
        for (const auto& flow : flows) {
            const OnDevice current(flow.runs_on);
            const auto& [stream, ended] = *flow.runner;
            stream.wait_for(started);
            for (std::int64_t i = 0; i < copies; ++i) flow.copy(stream);
            ended.record(stream);
            main.wait_for(ended);
        }
    }

    // Each source has a new payload each time, so that bytes of an earlier copy or of another GPU are not taken for
    // those of this one; each GPU checks what it received itself.
    std::string what_differs() {
        for (auto& [gpu, source] : sources) {
            const OnDevice current(gpu);
            source.place = draw() / sizeof(std::uint64_t) * sizeof(std::uint64_t);
            write_payload(source.stream, {source.memory.at(), bytes}, source.place);
        }
        return what_differs_from(0);
    }

    std::int64_t count() const { return static_cast<std::int64_t>(flows.size()); }

    // What one call of `queue` adds to the stream that gets most: `main`, or that of a flow.
    std::int64_t operations(std::int64_t copies) const { return std::max(1 + count(), copies + 2); }

private:
    void add(Pair pair, const std::string& by) {
        const auto made_on = [](int gpu, const auto& make) {
            const OnDevice current(gpu);
            return make();
        };
        const int runs_on = by == "pull" || by == "engine_pull" ? pair.to : pair.from;
        const auto* source = made_on(pair.from, [&] { return &sources.try_emplace(pair.from, bytes).first->second; });
        auto target = made_on(pair.to, [&] { return std::make_unique<Target>(bytes); });
        auto runner = made_on(runs_on, [] { return std::make_unique<Runner>(); });
        auto* const to = target->memory.at();
        auto* const from = source->memory.at();
        std::function<void(const Stream&)> copy = [=, size = bytes](const Stream& on) {
            require("cudaMemcpyPeerAsync", cudaMemcpyPeerAsync(to, pair.to, from, pair.from, size, on.get()));
        };
        if (is_by_kernel(by)) copy = made_on(runs_on, [&] { return peer_kernel(gpu_facts(), to, from, bytes); });
        flows.push_back({pair, runs_on, std::move(target), std::move(runner), std::move(copy)});
    }

    std::string what_differs_from(std::size_t number) {
        if (number == flows.size()) {
            const OnDevice current(first_gpu);
            queue(alone, 1);
            alone.synchronize();
            return "";
        }
        const auto& flow = flows[number];
        const OnDevice owner(flow.pair.to);
        std::string later;
        const auto here = flow.target->memory.what_differs(
            flow.target->checking, bytes, [&] { later = what_differs_from(number + 1); }, 0,
            sources.at(flow.pair.from).place);
        if (here.empty()) return later;
        return "GPU " + std::to_string(flow.pair.from) + " to GPU " + std::to_string(flow.pair.to) + ": " + here;
    }

    std::size_t bytes;
    std::map<int, Source> sources{};
    std::vector<Flow> flows{};
    Stream alone{};  // of the first GPU, as the stream that is timed
    Event started{cudaEventDisableTiming};
    std::independent_bits_engine<std::mt19937_64, 56, std::uint64_t> draw{std::random_device{}()};
};

class Pairs final : public Bench {
public:
    explicit Pairs(Pattern of) : pattern(of), count(count_of_gpus()) {}

    std::string why_skipped(const Parameters& set) const override {
        if (auto why = why_no_pair(set, count); !why.empty()) return why;
        if (auto why = why_not_among(set, "by", {"engine", "engine_pull", "push", "pull"}); !why.empty()) return why;
        if (pattern == Pattern::pair) {
            if (auto why = why_not_among(set, "ways", {"one", "both"}); !why.empty()) return why;
            if (text(set, "ways") == "both" && whole(set, "from") > whole(set, "to"))
                return "both ways at once, a pair is measured once: with the lower number as `from`";
        }
        std::map<int, std::size_t> needed;
        std::map<int, std::size_t> sources;
        for (const auto& [from, to] : pairs_of(set)) {
            if (is_by_kernel(text(set, "by")) && !have_access(from, to)) return why_no_peer_access;
            needed[to] += allocated_bytes({Guarded::allocated(bytes_of(set))});
            sources[from] = allocated_bytes({Guarded::allocated(bytes_of(set))});
        }
        for (const auto& [gpu, bytes] : sources) needed[gpu] += bytes;
        return why_no_room(needed);
    }

    Trial trial(const Parameters& set) override {
        const auto pairs = pairs_of(set);
        bool direct = true;
        for (const auto& [from, to] : pairs) direct = have_access(from, to) && direct;
        const auto exchange = std::make_shared<Exchange>(pairs, text(set, "by"), bytes_of(set));
        const auto moved = exchange->count() * copies_in_a_row * whole(set, "bytes");
        Trial trial{.bytes_one_way = moved,
                    .bytes_touched = 2 * moved,
                    .compared = Guarded::compared() + ", of each GPU by itself",
                    .differs = [exchange] { return exchange->what_differs(); },
                    .queue = [exchange](const Stream& on) { exchange->queue(on, copies_in_a_row); },
                    .operations = exchange->operations(copies_in_a_row)};
        describe_gpus(trial, set, std::any_of(pairs.begin(), pairs.end(), [](const Pair& pair) {
                          return pair.from == first_gpu || pair.to == first_gpu;
                      }));
        if (!direct) trial.flags.emplace_back("no peer access between two of these GPUs: copies go through the host");
        return trial;
    }

private:
    std::vector<Pair> pairs_of(const Parameters& set) const {
        std::vector<Pair> pairs;
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

Measurable measured(Pattern pattern, const char* name, const char* summary,
                    const std::vector<const char*>& parameters) {
    Benchmark benchmark{.name = std::string("pairs/") + name,
                        .summary = summary,
                        .how =
                            "two events on a stream of the first GPU, around four copies in a row on each stream of "
                            "the GPUs that take part, which do so before until the rate is steady; GB/s is the sum of "
                            "all copies, `from` sends and `to` receives",
                        .clock = Clock::device,
                        .parameters = {{"bytes", {64 * mib}}, {"by", {}}},
                        .full = {{"bytes", {mib, 64 * mib, gib}}, {"by", {"engine", "engine_pull", "push", "pull"}}},
                        .needs = {.gpus = 2}};
    for (const char* parameter : parameters) {
        benchmark.parameters[parameter] = {};
        benchmark.full[parameter] = gpu_numbers();
    }
    if (pattern == Pattern::pair) benchmark.parameters["ways"] = {"one", "both"};
    return {.benchmark = std::move(benchmark),
            .set_up = [pattern](const std::vector<Parameters>&) { return std::make_unique<Pairs>(pattern); }};
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

}  // namespace
}  // namespace tocuda::kernels::pairs
