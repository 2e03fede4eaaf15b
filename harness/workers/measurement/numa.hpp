// tocuda, Apache-2.0.
// The NUMA nodes of the host and of its GPUs.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/benchmark.hpp"
#include "model/row_flag.hpp"

namespace tocuda {

// Finds the NUMA nodes with memory that are nearest to a GPU and farthest from it, and all nodes of the host.
struct GpuNodes {
    int near = -1;
    int far = -1;
    std::string why_not{};  // if there are not two nodes: what is needed and what was found
};

// `distances` are those from the near node to each node, starting at node 0, as the kernel writes them. If they are
// unknown, any other node counts as far.
GpuNodes nodes_of(int gpu, const std::vector<int>& with_memory, std::string_view distances);

GpuNodes nodes_of_current_gpu();

// The memory of some GPUs is a node without processors, and a node may have no memory.
struct HostNode {
    int number = 0;
    bool has_memory = true;
    std::vector<int> processors{};  // that this process may use
};

class HostNodes {
public:
    explicit HostNodes(std::vector<HostNode> each) : nodes(std::move(each)) {}

    // Why a thread cannot run on this node, or why there is no memory; "" if it can, or there is.
    std::string why_not_on(int number) const;
    std::string why_not_in(int number) const;

    std::vector<int> processors_on(std::optional<int> number) const;  // of all nodes without a number
    bool have_memory_elsewhere() const;                               // more than one node has some

private:
    std::vector<HostNode> nodes;
};

HostNodes nodes_of_host();

// The node that a parameter of the set names; nullopt if it has none such.
std::optional<int> node_in(const Parameters& set, const std::string& parameter);

// Binds this process to the processors and the memory of a GPU's NUMA node.

// The system calls that bind a process. Those that return text return the error, or an empty string.
struct PlacementCalls {
    std::function<std::vector<int>()> allowed_processors;
    std::function<std::string(const std::vector<int>&)> use_processors;
    std::function<std::string(int node)> prefer_memory;
};
PlacementCalls placement_calls();

// Call once, before memory is allocated. Returns a flag "affinity_not_set: REASON" if the machine has several nodes but
// the process could not be bound.
Flags stay_near_gpu(const std::string& bus_id, const PlacementCalls& calls,
                    const std::filesystem::path& system = "/sys");

}  // namespace tocuda
