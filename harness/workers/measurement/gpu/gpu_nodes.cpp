// tocuda, Apache-2.0.
// Finds the host's NUMA nodes, and the current GPU's from the CUDA runtime, or from its PCI address, among the nodes
// that Linux lists.
#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <fstream>

#include "measurement/cuda_error.hpp"
#include "measurement/near_gpu.hpp"
#include "measurement/numa.hpp"

namespace tocuda {
namespace {

const std::string nodes_folder = "/sys/devices/system/node/";

std::string first_line(const std::string& path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    return line;
}

int node_of_current_gpu() {
    int device = 0;
    int node = -1;
    require("cudaGetDevice", cudaGetDevice(&device));
    if (cudaDeviceGetAttribute(&node, cudaDevAttrHostNumaId, device) == cudaSuccess && node >= 0) return node;
    static_cast<void>(cudaGetLastError());
    std::array<char, 32> place{};
    if (cudaDeviceGetPCIBusId(place.data(), static_cast<int>(place.size()), device) != cudaSuccess) return -1;
    std::string folder = place.data();
    std::transform(folder.begin(), folder.end(), folder.begin(),
                   [](unsigned char each) { return static_cast<char>(std::tolower(each)); });
    const auto text = first_line("/sys/bus/pci/devices/" + folder + "/numa_node");
    std::from_chars(text.data(), text.data() + text.size(), node);
    return node;
}

}  // namespace

GpuNodes nodes_of_current_gpu() {
    const int gpu = node_of_current_gpu();
    auto with_memory = nodes_in(first_line(nodes_folder + "has_memory"));
    const auto with_processors =
        nodes_in(first_line(nodes_folder + "has_cpu"));  // the memory of some GPUs is a node without processors
    std::erase_if(with_memory, [&](int node) {
        return std::find(with_processors.begin(), with_processors.end(), node) == with_processors.end();
    });
    return nodes_of(gpu, with_memory, first_line(nodes_folder + "node" + std::to_string(gpu) + "/distance"));
}

HostNodes nodes_of_host() {
    const auto allowed = placement_calls().allowed_processors();
    const auto with_memory = nodes_in(first_line(nodes_folder + "has_memory"));
    std::vector<HostNode> nodes;
    for (const int number : nodes_in(first_line(nodes_folder + "online"))) {
        HostNode node{.number = number,
                      .has_memory = std::find(with_memory.begin(), with_memory.end(), number) != with_memory.end()};
        for (const int each : processors_in(first_line(nodes_folder + "node" + std::to_string(number) + "/cpulist")))
            if (std::find(allowed.begin(), allowed.end(), each) != allowed.end()) node.processors.push_back(each);
        nodes.push_back(std::move(node));
    }
    if (nodes.empty()) nodes.push_back({.processors = allowed});  // a system without NUMA has one node
    return HostNodes(std::move(nodes));
}

}  // namespace tocuda
