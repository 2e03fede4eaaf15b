// tocuda, Apache-2.0.
// Parses node lists and distances as the Linux kernel writes them.
#include "measurement/numa.hpp"

#include <algorithm>
#include <sstream>

#include "model/words.hpp"

namespace tocuda {
namespace {

template <class Suits>
std::string list_of(const std::vector<HostNode>& nodes, const Suits& suits) {
    std::vector<std::string> numbers;
    for (const auto& node : nodes)
        if (suits(node)) numbers.push_back(std::to_string(node.number));
    return joined(numbers);
}

}  // namespace

GpuNodes nodes_of(int gpu, const std::vector<int>& with_memory, std::string_view distances) {
    if (with_memory.size() < 2)
        return {.why_not = "two NUMA nodes with memory are needed; there is " + std::to_string(with_memory.size())};
    if (std::find(with_memory.begin(), with_memory.end(), gpu) == with_memory.end())
        return {.why_not = "the GPU's NUMA node is needed; this system does not report it"};
    std::istringstream text{std::string(distances)};
    std::vector<int> each;
    for (int distance = 0; text >> distance;) each.push_back(distance);
    GpuNodes nodes{.near = gpu};
    int farthest = -1;
    for (const int node : with_memory) {
        const int distance = static_cast<std::size_t>(node) < each.size() ? each[static_cast<std::size_t>(node)] : 0;
        if (node == gpu || distance <= farthest) continue;
        farthest = distance;
        nodes.far = node;
    }
    return nodes;
}

std::string HostNodes::why_not_on(int number) const {
    if (!processors_on(number).empty()) return "";
    return "a NUMA node with processors that this process may use is needed; " + std::to_string(number) +
           " is not among " + list_of(nodes, [](const HostNode& node) { return !node.processors.empty(); });
}

std::string HostNodes::why_not_in(int number) const {
    if (std::ranges::any_of(nodes, [=](const HostNode& node) { return node.has_memory && node.number == number; }))
        return "";
    return "a NUMA node with memory is needed; " + std::to_string(number) + " is not among " +
           list_of(nodes, [](const HostNode& node) { return node.has_memory; });
}

std::vector<int> HostNodes::processors_on(std::optional<int> number) const {
    std::vector<int> all;
    for (const auto& node : nodes)
        if (!number || node.number == *number) all.insert(all.end(), node.processors.begin(), node.processors.end());
    return all;
}

bool HostNodes::have_memory_elsewhere() const { return std::ranges::count_if(nodes, &HostNode::has_memory) > 1; }

std::optional<int> node_in(const Parameters& set, const std::string& parameter) {
    constexpr std::int64_t more_than_any = 1 << 20;
    const auto number = whole_if_any(set, parameter);
    return number ? std::optional(static_cast<int>(std::min(*number, more_than_any))) : std::nullopt;
}

}  // namespace tocuda
