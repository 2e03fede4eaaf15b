// tocuda, Apache-2.0.
// Finds the NUMA nodes with memory that are nearest to a GPU and farthest from it, and all nodes of the host.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/benchmark.hpp"

namespace tocuda {

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

}  // namespace tocuda
