// tocuda, Apache-2.0.
// Binds this process to the processors and the memory of a GPU's NUMA node.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "model/row_flag.hpp"

namespace tocuda {

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
