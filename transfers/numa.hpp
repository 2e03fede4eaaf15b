// tocuda, Apache-2.0.
// The NUMA nodes with memory, and which of them a GPU is nearest to and farthest from.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tocuda {

struct GpuNodes {
    int near = -1;
    int far = -1;
    std::string why_not{};  // where there are no two: what is needed and what was found
};

// Of a list as the kernel writes it: "0-1,4".
std::vector<int> nodes_in(std::string_view list);

// `distances`: of the near node to each node, as the kernel writes them, from node 0 on; where they are not known, any
// other is far.
GpuNodes nodes_of(int gpu, const std::vector<int>& with_memory, std::string_view distances);

GpuNodes nodes_of_current_gpu();

}  // namespace tocuda
