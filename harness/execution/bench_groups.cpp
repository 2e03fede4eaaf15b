// tocuda, Apache-2.0.
#include "execution/bench_groups.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

namespace tocuda {
namespace {

// In the order in which people usually want the answers: first the speed of GPU memory, then transfers to and from it,
// and last what happens once per program.
constexpr std::array<std::string_view, 20> priorities{
    "copy/device_to_device",
    "memory",
    "stream",
    "curve",
    "atomics",
    "arithmetic",
    "copy/host_to_device",
    "copy/device_to_host",
    "copy/both_ways",
    "copy/host_to_host",
    "copy/device_to_device/peer",
    "pairs",
    "collectives",
    "latency",
    "calls",
    "load",
    "convert",
    "framework",
    "allocate",
    "start",
};

// After all others, because using more memory than the GPU has can hang it.
constexpr std::string_view last = "managed";

bool is_within(std::string_view name, std::string_view folder) {
    return name.starts_with(folder) && (name.size() == folder.size() || name[folder.size()] == '/');
}

std::size_t priority_of(const std::string& group) {
    if (group == last) return priorities.size() + 1;
    return static_cast<std::size_t>(std::ranges::find(priorities, group) - priorities.begin());
}

}  // namespace

std::string group_of(const std::string& benchmark) {
    std::string_view longest;
    for (const auto folder : priorities)
        if (is_within(benchmark, folder) && folder.size() > longest.size()) longest = folder;
    return longest.empty() ? benchmark.substr(0, benchmark.find('/')) : std::string(longest);
}

std::vector<BenchGroup> bench_groups(const std::vector<std::string>& benchmarks) {
    std::map<std::pair<std::size_t, std::string>, BenchGroup> sorted;
    for (std::size_t position = 0; position < benchmarks.size(); ++position) {
        const auto name = group_of(benchmarks[position]);
        auto& group = sorted[{priority_of(name), name}];
        group.name = name;
        group.members.push_back(position);
    }
    std::vector<BenchGroup> groups;
    for (auto& [place, group] : sorted) groups.push_back(std::move(group));
    return groups;
}

}  // namespace tocuda
