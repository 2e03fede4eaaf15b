// tocuda, Apache-2.0.
// Finds the NUMA nodes with memory that are nearest to a GPU and farthest from it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tocuda {

struct GpuNodes {
    int near = -1;
    int far = -1;
    std::string why_not{};  // if there are not two nodes: what is needed and what was found
};

// Parses a list as the kernel writes it: "0-1,4".
std::vector<int> nodes_in(std::string_view list);

// `distances` are those from the near node to each node, starting at node 0, as the kernel writes them. If they are
// unknown, any other node counts as far.
GpuNodes nodes_of(int gpu, const std::vector<int>& with_memory, std::string_view distances);

GpuNodes nodes_of_current_gpu();

}  // namespace tocuda
