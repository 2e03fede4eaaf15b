// tocuda, Apache-2.0.
// The time of one load from the host's memory by one of its processors, by working set, NUMA node and size of the
// pages. It needs no GPU.
#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "benchmarks/host/chain.hpp"
#include "measurement/gpu/host_memory.hpp"
#include "measurement/numa.hpp"
#include "measurement/parameter.hpp"
#include "measurement/registered_benchmark.hpp"
#include "measurement/room.hpp"
#include "measurement/threads.hpp"

namespace tocuda::benchmarks::host_latency {
namespace {

constexpr std::size_t loads = std::size_t{1} << 16;  // of a sample
constexpr std::size_t huge_page = 2 * mib;

// A chain, and the thread that walks along it: where one walk ends, the next one begins, so that a line is met again
// only after all others.
class Chain {
public:
    Chain(std::size_t bytes, int processor, PageSize pages, std::optional<int> node) : thread({processor}) {
        thread.seconds_of([&](unsigned) {
            try {
                memory.emplace(pageable_memory_of(pages, node.value_or(any_node), bytes));
                lines = {reinterpret_cast<ChainLine*>(memory->get()), bytes / sizeof(ChainLine)};
                link_chain(lines, std::random_device{}());
            } catch (const std::exception& error) {
                why_not = error.what();
            }
        });
        if (!why_not.empty()) throw std::runtime_error(why_not);
        at = lines.data();
    }

    const std::byte* start() const { return memory->get(); }
    bool is_bound() const { return thread.all_bound(); }

    // The first loads of a set that the caches hold bring it back there.
    double seconds_of_loads() {
        double seconds = 0;
        thread.seconds_of([&](unsigned) {
            const auto* from = walk_chain(at, std::min(loads, lines.size())).end;
            const auto began = std::chrono::steady_clock::now();
            const auto walk = walk_chain(from, loads);
            seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
            at = walk.end;
            sum = walk.sum;
        });
        return seconds;
    }

    std::string what_differs() {
        ChainWalk all;
        thread.seconds_of([&](unsigned) { all = walk_chain(at, lines.size()); });
        return all.end == at && all.sum == sum_of_chain(lines)
                   ? ""
                   : "the loads did not visit each of the " + std::to_string(lines.size()) + " lines once";
    }

private:
    Team thread;
    std::string why_not{};
    std::optional<HostMemory> memory{};
    std::span<ChainLine> lines{};
    const ChainLine* at = nullptr;
    volatile std::uint64_t sum = 0;  // so that no load can be left out
};

class HostLatency final : public Bench {
public:
    std::string why_skipped(const Parameters& set) const override {
        if (const auto on = node_in(set, "on"))
            if (auto why = nodes.why_not_on(*on); !why.empty()) return why;
        if (const auto from = node_in(set, "from"))
            if (auto why = nodes.why_not_in(*from); !why.empty()) return why;
        if (text(set, "pages") == "huge") {
            if (!huge_pages_are_given()) return "transparent huge pages are needed; this system never gives them";
            if (bytes_of(set) < huge_page)
                return std::to_string(huge_page) + " bytes, one huge page, are needed at least";
        }
        return why_too_large({.host_bytes = bytes_of(set)}, free);
    }

    Trial trial(const Parameters& set) override {
        const bool huge = text(set, "pages") == "huge";
        const auto node = nodes.have_memory_elsewhere() ? node_in(set, "from") : std::nullopt;
        const auto chain = std::make_shared<Chain>(bytes_of(set), nodes.processors_on(node_in(set, "on")).front(),
                                                   huge ? PageSize::huge : PageSize::small, node);
        if (const auto found = node ? node_of(chain->start()) : std::nullopt; found && *found != *node)
            throw std::runtime_error("a page that was bound to NUMA node " + std::to_string(*node) + " is on node " +
                                     std::to_string(*found));
        Trial trial{.compared = "that the loads visit every line once, by the sum of their addresses, and return"};
        trial.differs = [chain] { return chain->what_differs(); };
        trial.timing = SelfTimed{.seconds = [chain] { return chain->seconds_of_loads(); }, .together = loads};
        if (huge) trial.flags.push_back(std::to_string(bytes_in_huge_pages(chain->start())) + " bytes in huge pages");
        if (!chain->is_bound()) trial.flags.emplace_back("the thread is not kept to its processor");
        return trial;
    }

private:
    const HostNodes nodes = nodes_of_host();
    const Free free{.host_bytes = free_host_bytes()};
};

Measurable measured(std::string name, std::string summary, Values sizes, const std::map<std::string, Values>& nodes) {
    Benchmark benchmark{
        .name = "host/" + std::move(name),
        .summary = std::move(summary),
        .how =
            "the host's real clock, also beside simulated GPUs, around 65,536 loads by one thread on a random cycle "
            "through all lines of 64 bytes. Each sample goes on where the last one ended, so that a set is met as "
            "its caches keep it. pages=small: what rises with large sets is also the address translation, which "
            "pages=huge spares",
        .clock = Clock::host,
        .parameters = {{"bytes", {}}, {"pages", {"small"}}},
        .quick = {{"bytes", {}}},
        .full = {{"bytes", std::move(sizes)}, {"pages", {"small", "huge"}}},
        .allowed = {{"bytes", {.least = 2 * sizeof(ChainLine), .most = 1024 * gib, .multiple_of = sizeof(ChainLine)}}}};
    // Where processors and memory are on several nodes, there is a picture of these too.
    benchmark.role.pictures = {"host-latency-by-working-set"};
    if (!nodes.empty()) benchmark.role.pictures.emplace_back("nodes-of-the-host");
    benchmark.parameters.insert(nodes.begin(), nodes.end());
    return {std::move(benchmark), [](const std::vector<Parameters>&) { return std::make_unique<HostLatency>(); }};
}

const RegisteredBenchmark everywhere{measured(
    "latency",
    "time of one load by the host from its own memory that waits for the one before, by working set: caches, memory",
    powers_of_two(4 * kib, gib), {})};
const RegisteredBenchmark by_node{
    measured("latency_nodes",
             "time of one load that waits for the one before, by a thread on one NUMA node, from the memory of another",
             {256 * mib}, {{"on", {0}}, {"from", {0, 1}}})};

}  // namespace
}  // namespace tocuda::benchmarks::host_latency
