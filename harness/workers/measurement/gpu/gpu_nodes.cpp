// tocuda, Apache-2.0.
// Finds the host's NUMA nodes, and the current GPU's from the CUDA runtime, or from its PCI address, among the nodes
// that Linux lists.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "measurement/cuda_objects.hpp"
#include "measurement/first_line.hpp"
#include "measurement/numa.hpp"
#include "model/words.hpp"

namespace tocuda {
namespace {

const std::string nodes_folder = "/sys/devices/system/node/";

std::string told_of(const std::string& file) { return first_line(std::filesystem::path(file)).value_or(""); }

int node_of_current_gpu() {
    int device = 0;
    int node = -1;
    require("cudaGetDevice", cudaGetDevice(&device));
    if (cudaDeviceGetAttribute(&node, cudaDevAttrHostNumaId, device) == cudaSuccess && node >= 0) return node;
    static_cast<void>(cudaGetLastError());
    std::array<char, 32> place{};
    if (cudaDeviceGetPCIBusId(place.data(), static_cast<int>(place.size()), device) != cudaSuccess) return -1;
    const auto text = told_of("/sys/bus/pci/devices/" + lower(place.data()) + "/numa_node");
    return whole_number<int>(text).value_or(node);
}

}  // namespace

GpuNodes nodes_of_current_gpu() {
    const int gpu = node_of_current_gpu();
    auto with_memory = numbers_in(told_of(nodes_folder + "has_memory"));
    const auto with_processors =
        numbers_in(told_of(nodes_folder + "has_cpu"));  // the memory of some GPUs is a node without processors
    std::erase_if(with_memory, [&](int node) {
        return std::find(with_processors.begin(), with_processors.end(), node) == with_processors.end();
    });
    return nodes_of(gpu, with_memory, told_of(nodes_folder + "node" + std::to_string(gpu) + "/distance"));
}

HostNodes nodes_of_host() {
    const auto allowed = placement_calls().allowed_processors();
    const auto with_memory = numbers_in(told_of(nodes_folder + "has_memory"));
    std::vector<HostNode> nodes;
    for (const int number : numbers_in(told_of(nodes_folder + "online"))) {
        HostNode node{.number = number,
                      .has_memory = std::find(with_memory.begin(), with_memory.end(), number) != with_memory.end()};
        for (const int each : numbers_in(told_of(nodes_folder + "node" + std::to_string(number) + "/cpulist")))
            if (std::find(allowed.begin(), allowed.end(), each) != allowed.end()) node.processors.push_back(each);
        nodes.push_back(std::move(node));
    }
    if (nodes.empty()) nodes.push_back({.processors = allowed});  // a system without NUMA has one node
    return HostNodes(std::move(nodes));
}

}  // namespace tocuda
