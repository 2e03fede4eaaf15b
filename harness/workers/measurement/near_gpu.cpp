// tocuda, Apache-2.0.
// Reads the node from sysfs by the GPU's PCI bus id, and sets affinity and memory policy. The policy prefers the node
// without insisting: on a full node a row becomes slower, whereas insisting would end the process.
#include "measurement/near_gpu.hpp"

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

#include "measurement/first_line.hpp"
#include "model/words.hpp"

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
