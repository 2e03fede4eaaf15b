// tocuda, Apache-2.0.
// The registry of benchmarks, filled before main.
#include "measurement/registered_benchmark.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "measurement/parameter.hpp"

namespace tocuda {
namespace {

// First the speed of GPU memory, then transfers to and from it, and last what happens once per program.
constexpr std::array<std::string_view, 19> folders_in_order{
    "copy/device_to_device",
    "memory",
    "stream",
    "curve",
    "atomics",
    "arithmetic",
    "copy/host_to_device",
    "copy/device_to_host",
    "copy/both_ways",
    "pairs",
    "collectives",
    "latency",
    "calls",
    "load",
    "framework",
    "convert",
    "copy/host_to_host",
    "allocate",
    "start",
};

bool is_within(std::string_view name, std::string_view folder) {
    return name.starts_with(folder) && name.size() > folder.size() && name[folder.size()] == '/';
}

std::vector<Measurable>& all() {
    static std::vector<Measurable> measurables;
    return measurables;
}

}  // namespace

Group group_of_folder(const std::string& benchmark) {
    Group found{.name = benchmark.substr(0, benchmark.find('/'))};
    std::size_t longest = 0;
    for (std::size_t order = 0; order < folders_in_order.size(); ++order) {
        const auto folder = folders_in_order.at(order);
        if (!is_within(benchmark, folder) || folder.size() < longest) continue;
        longest = folder.size();
        found = {std::string(folder), static_cast<int>(order)};
    }
    return found;
}

RegisteredBenchmark::RegisteredBenchmark(Measurable measurable) {
    auto& benchmark = measurable.benchmark;
    if (benchmark.group.name.empty()) benchmark.group = group_of_folder(benchmark.name);
    all().push_back(std::move(measurable));
}

std::vector<Measurable> registered_benchmarks() {
    auto sorted = all();
    std::sort(sorted.begin(), sorted.end(), [](const Measurable& left, const Measurable& right) {
        return left.benchmark.name < right.benchmark.name;
    });
    return sorted;
}

std::size_t largest_that_fits(const std::vector<Parameters>& sets, const std::function<bool(const Parameters&)>& fits) {
    std::size_t most = 0;
    for (const auto& set : sets)
        if (fits(set)) most = std::max(most, bytes_of(set));
    return most;
}

}  // namespace tocuda
