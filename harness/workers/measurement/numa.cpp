// tocuda, Apache-2.0.
// Parses node lists and distances as the Linux kernel writes them.
#include "measurement/numa.hpp"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <memory>
#include <optional>
#include <sstream>

#include "measurement/first_line.hpp"
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

// Reads the node from sysfs by the GPU's PCI bus id, and sets affinity and memory policy. The policy prefers the node
// without insisting: on a full node a row becomes slower, whereas insisting would end the process.

namespace tocuda {
namespace {

constexpr int processors_most = 8192;
constexpr int preferred = 1;  // MPOL_PREFERRED

std::string why_not(const char* call) { return std::string(call) + ": " + std::strerror(errno); }

struct FreeSet {
    void operator()(cpu_set_t* set) const { CPU_FREE(set); }
};
using ProcessorSet = std::unique_ptr<cpu_set_t, FreeSet>;

std::vector<int> allowed_here() {
    const ProcessorSet set(CPU_ALLOC(processors_most));
    const auto bytes = CPU_ALLOC_SIZE(processors_most);
    std::vector<int> processors;
    if (sched_getaffinity(0, bytes, set.get()) != 0) return processors;
    for (int processor = 0; processor < processors_most; ++processor)
        if (CPU_ISSET_S(static_cast<std::size_t>(processor), bytes, set.get())) processors.push_back(processor);
    return processors;
}

std::string use_processors_here(const std::vector<int>& processors) {
    const ProcessorSet set(CPU_ALLOC(processors_most));
    const auto bytes = CPU_ALLOC_SIZE(processors_most);
    CPU_ZERO_S(bytes, set.get());
    for (const int processor : processors) CPU_SET_S(static_cast<std::size_t>(processor), bytes, set.get());
    return sched_setaffinity(0, bytes, set.get()) == 0 ? "" : why_not("sched_setaffinity");
}

std::string prefer_memory_here(int node) {
    constexpr unsigned long bits = 8 * sizeof(unsigned long);
    std::array<unsigned long, 16> nodes{};
    if (static_cast<unsigned long>(node) >= bits * nodes.size())
        return "node " + std::to_string(node) + " is out of range";
    nodes[static_cast<unsigned long>(node) / bits] = 1UL << static_cast<unsigned long>(node) % bits;
    return ::syscall(SYS_set_mempolicy, preferred, nodes.data(), bits * nodes.size() + 1) == 0
               ? ""
               : why_not("set_mempolicy");
}

Flags refused(const std::string& reason) { return {{"affinity_not_set", reason}}; }

}  // namespace

PlacementCalls placement_calls() { return {allowed_here, use_processors_here, prefer_memory_here}; }

Flags stay_near_gpu(const std::string& bus_id, const PlacementCalls& calls, const std::filesystem::path& system) {
    const auto nodes = system / "devices/system/node";
    if (numbers_in(first_line(nodes / "online").value_or("0")).size() < 2) return {};  // there is only one node
    const auto node =
        whole_number<int>(first_line(system / "bus/pci/devices" / lower(bus_id) / "numa_node").value_or(""));
    if (!node || *node < 0) return refused("the system does not report the GPU's NUMA node");

    const auto near = numbers_in(first_line(nodes / ("node" + std::to_string(*node)) / "cpulist").value_or(""));
    const auto allowed = calls.allowed_processors();
    std::vector<int> both;
    std::set_intersection(near.begin(), near.end(), allowed.begin(), allowed.end(), std::back_inserter(both));
    if (both.empty()) return refused("this process may not use any processor of node " + std::to_string(*node));
    if (const auto reason = calls.use_processors(both); !reason.empty()) return refused(reason);
    if (const auto reason = calls.prefer_memory(*node); !reason.empty()) return refused(reason);
    return {};
}

}  // namespace tocuda
