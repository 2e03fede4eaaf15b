// tocuda, Apache-2.0.
// This process on the processors and the memory of the node that a GPU hangs on.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace tocuda {

// What the system is asked for; each answers with the reason why not, or nothing.
struct PlacementCalls {
    std::function<std::vector<int>()> allowed_processors;
    std::function<std::string(const std::vector<int>&)> use_processors;
    std::function<std::string(int node)> prefer_memory;
};
PlacementCalls placement_calls();

// Asked for once, before memory is taken. Flags: what the machine knows of nodes and yet refuses, "affinity_not_set:
// REASON".
std::vector<std::string> stay_near_gpu(const std::string& bus_id, const PlacementCalls& calls,
                                       const std::filesystem::path& system = "/sys");

std::vector<int> processors_in(const std::string& list);  // "0-3,8"; empty where it is no such list

}  // namespace tocuda
