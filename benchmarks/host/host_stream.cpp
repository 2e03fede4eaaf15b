// tocuda, Apache-2.0.
// The kernels of STREAM on the host's memory, by threads that are kept to their processors, with memory of their own
// NUMA node or of one that is named. It needs no GPU.
#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "benchmarks/host/host_kernels.hpp"
#include "measurement/gpu/host_memory.hpp"
#include "measurement/numa.hpp"
#include "measurement/parameter.hpp"
#include "measurement/registered_benchmark.hpp"
#include "measurement/room.hpp"
#include "measurement/threads.hpp"

namespace tocuda::benchmarks::host_stream {
namespace {

constexpr std::int64_t most_threads = 1024;
constexpr std::size_t guard_bytes = 4096;  // before and after the array that is written
constexpr std::byte guard{0xC3};
constexpr std::size_t enough_bytes = 64 * mib;  // touched between two readings of the clock, so that these do not count

StreamKernel kernel_of(const Parameters& set) {
    const auto& word = text(set, "kernel");
    return word == "read"    ? StreamKernel::read
           : word == "copy"  ? StreamKernel::copy
           : word == "scale" ? StreamKernel::scale
           : word == "add"   ? StreamKernel::add
                             : StreamKernel::triad;
}

// Three arrays, and the threads that share them: each touches its part of them first.
class Arrays {
public:
    Arrays(std::size_t of_each, const std::vector<int>& processors, std::optional<int> from, std::optional<int> to)
        : bytes(of_each), team(processors), target(pageable_memory_on(to, bytes + 2 * guard_bytes)),
          left(pageable_memory_on(from, bytes)), right(pageable_memory_on(from, bytes)) {
        team.seconds_of([this](unsigned member) {
            const auto part = part_of(member);
            std::memset(part.a.data(), 0, part.a.size_bytes());
            write_host_numbers({part.b, part.a.size()}, part.place, false);
            write_host_numbers({part.c, part.a.size()}, part.place, true);
        });
        for (const auto& [memory, node] : {std::pair{a(), to}, {b(), from}, {c(), from}})
            require_on(node, reinterpret_cast<const std::byte*>(memory));
    }

    Team& threads() { return team; }

    double seconds_of(StreamKernel kernel, bool past_caches, std::size_t passes) {
        return team.seconds_of([&](unsigned member) {
            const auto part = part_of(member);
            for (auto left_over = passes; left_over > 0; --left_over) {
                sums[member] = run_host_kernel(kernel, past_caches, part.a, part.b, part.c);
                asm volatile("" ::: "memory");  // otherwise one pass of a read could stand for all
            }
        });
    }

    std::string what_differs(StreamKernel kernel, bool past_caches) {
        std::memset(target.get(), std::to_integer<int>(guard), bytes + 2 * guard_bytes);
        std::ranges::fill(sums, 0.5);  // no sum of whole numbers
        seconds_of(kernel, past_caches, 1);
        if (kernel == StreamKernel::read) return wrong_sum();
        std::vector<std::optional<std::size_t>> wrong(team.size());
        team.seconds_of([&](unsigned member) {
            const auto part = part_of(member);
            if (const auto found = first_wrong(kernel, part.a, part.place)) wrong[member] = part.place + *found;
        });
        for (const auto& found : wrong)
            if (found)
                return "number " + std::to_string(*found) + " of " + std::to_string(bytes / sizeof(double)) +
                       " differs from the reference";
        const auto is_guard = [](std::byte each) { return each == guard; };
        const auto* const end = target.get() + guard_bytes + bytes;
        return std::all_of(target.get(), target.get() + guard_bytes, is_guard) &&
                       std::all_of(end, end + guard_bytes, is_guard)
                   ? ""
                   : "bytes around the array were written";
    }

private:
    double* a() const { return reinterpret_cast<double*>(target.get() + guard_bytes); }
    double* b() const { return reinterpret_cast<double*>(left.get()); }
    double* c() const { return reinterpret_cast<double*>(right.get()); }

    struct Part {
        std::span<double> a;
        double* b;
        double* c;
        std::size_t place;
    };

    Part part_of(unsigned member) const {
        const auto lines = bytes / host_line;
        const auto first = lines * member / team.size() * (host_line / sizeof(double));
        const auto end = lines * (member + 1) / team.size() * (host_line / sizeof(double));
        return {{a() + first, end - first}, b() + first, c() + first, first};
    }

    std::string wrong_sum() {
        std::vector<double> wanted(team.size());
        team.seconds_of([&](unsigned member) {
            const auto part = part_of(member);
            wanted[member] = host_sum(part.place, part.a.size());
        });
        return sums == wanted ? "" : "the sum of the numbers that were read is wrong";
    }

    void require_on(std::optional<int> node, const std::byte* memory) const {
        if (!node) return;
        for (const auto place : {std::size_t{0}, bytes / 2, bytes - 1})
            if (const auto found = node_of(memory + place); found && *found != *node)
                throw std::runtime_error("a page that was bound to NUMA node " + std::to_string(*node) +
                                         " is on node " + std::to_string(*found));
    }

    const std::size_t bytes;
    Team team;
    HostMemory target;
    HostMemory left;
    HostMemory right;
    std::vector<double> sums = std::vector<double>(team.size());
};

class HostStream final : public Bench {
public:
    std::string why_skipped(const Parameters& set) const override {
        const bool streaming = text(set, "stores") == "streaming";
        if (kernel_of(set) == StreamKernel::read && streaming)
            return "a read stores nothing: it is measured with stores=plain";
        if (streaming && !stores_past_caches()) return "stores past the caches are needed; this processor has none";
        if (const auto on = node_in(set, "on"))
            if (auto why = nodes.why_not_on(*on); !why.empty()) return why;
        for (const auto* parameter : {"from", "to"})
            if (const auto node = node_in(set, parameter))
                if (auto why = nodes.why_not_in(*node); !why.empty()) return why;
        return why_too_large({.host_bytes = 3 * bytes_of(set)}, free);
    }

    Trial trial(const Parameters& set) override {
        const auto kernel = kernel_of(set);
        const bool past_caches = text(set, "stores") == "streaming";
        const auto touched = arrays_touched(kernel) * bytes_of(set);
        const auto passes = std::max<std::size_t>(1, enough_bytes / touched);
        const auto arrays = arrays_for(set);
        Trial trial{.bytes_one_way = whole(set, "bytes"),
                    .bytes_touched = static_cast<std::int64_t>(touched),
                    .compared = kernel == StreamKernel::read ? "the sum of all numbers, which is exact"
                                                             : "every number, and 4096 bytes before and after"};
        trial.differs = [=] { return arrays->what_differs(kernel, past_caches); };
        trial.timing = SelfTimed{.seconds = [=] { return arrays->seconds_of(kernel, past_caches, passes); },
                                 .together = static_cast<std::int64_t>(passes)};
        trial.flags = {std::to_string(arrays->threads().size()) + " threads"};
        if (!arrays->threads().all_bound()) trial.flags.emplace_back("the threads are not kept to their processors");
        return trial;
    }

private:
    // Those of the last set, unless this one places them elsewhere.
    std::shared_ptr<Arrays> arrays_for(const Parameters& set) {
        auto place = set;
        place.erase("kernel");
        place.erase("stores");
        if (last && place == place_of_last) return last;
        last.reset();
        const auto processors = nodes.processors_on(node_in(set, "on"));
        const auto asked = static_cast<unsigned>(whole(set, "threads"));
        const auto threads = asked != 0 ? asked : std::min(usable_threads(), static_cast<unsigned>(processors.size()));
        const auto bound_to = [&](const char* parameter) {
            return nodes.have_memory_elsewhere() ? node_in(set, parameter) : std::nullopt;
        };
        last =
            std::make_shared<Arrays>(bytes_of(set), spread_over(processors, threads), bound_to("from"), bound_to("to"));
        place_of_last = std::move(place);
        return last;
    }

    const HostNodes nodes = nodes_of_host();
    const Free free{.host_bytes = free_host_bytes()};
    Parameters place_of_last{};
    std::shared_ptr<Arrays> last{};
};

constexpr auto how_to_read =
    "the host's real clock, also beside simulated GPUs, from when all threads are awake until the last one has "
    "finished its part of the arrays, of which each has `bytes`. `touched` counts what a kernel reads and writes, as "
    "STREAM does. stores=plain also fetches each line that is written, which is not counted; stores=streaming goes "
    "past the caches. threads=0: one for each processor. Arrays that a cache holds do not show the memory";

Measurable measured(std::string name, std::string summary, const std::map<std::string, Values>& nodes) {
    Benchmark benchmark{
        .name = "host/" + std::move(name),
        .summary = std::move(summary),
        .how = how_to_read,
        .clock = Clock::host,
        .parameters = {{"bytes", {}},
                       {"kernel", {"copy", "scale", "add", "triad"}},
                       {"stores", {"plain", "streaming"}},
                       {"threads", {0}}},
        .quick = {{"bytes", {}}},
        .full = {{"bytes", {gib}}, {"kernel", {"read", "copy", "scale", "add", "triad"}}, {"threads", {0, 1}}},
        .allowed = {{"bytes", {.least = host_line, .most = most_summed * sizeof(double), .multiple_of = host_line}},
                    {"threads", {.most = most_threads}}}};
    benchmark.role.pictures = {nodes.empty() ? "host-memory" : "nodes-of-the-host"};
    benchmark.parameters.insert(nodes.begin(), nodes.end());
    return {std::move(benchmark), [](const std::vector<Parameters>&) { return std::make_unique<HostStream>(); }};
}

const RegisteredBenchmark everywhere{measured(
    "stream",
    "read, copy, scale, add and triad of doubles in the host's memory by threads that touched their part of it "
    "first: STREAM",
    {})};
const RegisteredBenchmark by_node{measured(
    "stream_nodes", "STREAM's kernels by threads on one NUMA node, from the memory of one into that of another",
    {{"on", {0}}, {"from", {0, 1}}, {"to", {0}}})};

}  // namespace
}  // namespace tocuda::benchmarks::host_stream
