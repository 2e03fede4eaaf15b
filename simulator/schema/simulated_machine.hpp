// tocuda, Apache-2.0.
// A simulated machine: its driver, its GPUs, and the faults it is told to have.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "simulator/schema/gpu.hpp"

namespace tocuda {

// A call of the runtime that answers an error, never returns, or moves a wrong byte; or what becomes of everything that
// one GPU sends directly to another.
struct SimulatedFault {
    std::string function{};  // empty: the fault is between two GPUs
    std::uint64_t call = 1;  // the first call is 1
    int error = 0;
    bool hang = false;
    bool sticky = false;  // every later call of any function answers the same
    bool wrong = false;   // the call succeeds; the first byte of what it copies arrives changed
    // "lost": stores of kernels do not arrive. "mirrored": they do not, but read from there they seem to. "stalled":
    // they arrive when the kernel ends. "uncopied": copies do not arrive.
    std::string peer{};
    int from = 0;  // GPUs by their order in the machine
    int to = 0;

    bool operator==(const SimulatedFault&) const = default;
};

// The link over which one GPU sends to another, where it differs from the figures of the GPUs.
struct SimulatedLink {
    int from = 0;  // GPUs by their order in the machine
    int to = 0;
    std::int64_t bytes_per_second = 0;  // 0: the GPU's own figure
    std::int64_t latency_ns = 0;        // of a load by GPU `to` from the memory of GPU `from`; 0: the GPU's own figure

    bool operator==(const SimulatedLink&) const = default;
};

struct SimulatedMachine {
    int driver_version = 13000;
    std::string driver_name = "580.95.05";
    std::uint64_t seed = 1;
    bool peer_access = true;
    std::int64_t host_memory_bytes = -1;       // what device memory may take of the host's; -1: what the host has
    std::map<int, std::string> error_texts{};  // instead of the runtime's own, by code
    std::vector<SimulatedFault> faults{};
    std::vector<SimulatedLink> links{};
    std::vector<SimulatedGpu> gpus{};

    bool operator==(const SimulatedMachine&) const = default;
};

// A figure of the link from one GPU to another; `otherwise` if the machine has none for it.
inline std::int64_t link_figure(const SimulatedMachine& machine, int from, int to, std::int64_t SimulatedLink::* figure,
                                std::int64_t otherwise) {
    for (const auto& link : machine.links)
        if (link.from == from && link.to == to && link.*figure > 0) return link.*figure;
    return otherwise;
}

// The bus that a published bandwidth needs at its clock: stacks of 1024 bits, or channels of 32.
inline std::int64_t bus_bits(const SimulatedGpu& gpu) {
    constexpr std::int64_t of_a_small_gpu = 256;
    constexpr double stack = 1024;
    if (gpu.memory_bytes_per_second <= 0) return of_a_small_gpu;
    const double bits_per_second = 8.0 * static_cast<double>(gpu.memory_bytes_per_second);
    const double bits = bits_per_second / (2e3 * static_cast<double>(gpu.memory_clock_khz));  // both edges of the clock
    const double step = bits > 2 * stack ? stack : 32;
    return std::max<std::int64_t>(32, static_cast<std::int64_t>(std::round(bits / step) * step));
}

// Fills in what follows from the other figures and from where each GPU sits, unless it has been said.
inline SimulatedMachine complete(SimulatedMachine machine) {
    for (std::size_t i = 0; i < machine.gpus.size(); ++i) {
        auto& gpu = machine.gpus[i];
        if (gpu.memory_bus_bits == 0) gpu.memory_bus_bits = bus_bits(gpu);
        if (gpu.pci_bus == 0) gpu.pci_bus = static_cast<std::int64_t>(i + 1);
        if (!gpu.uuid.empty()) continue;
        std::array<char, 64> text{};
        std::snprintf(text.data(), text.size(), "%s-70c0da00-0000-4000-8000-%012zx", gpu.mig == 1 ? "MIG" : "GPU", i);
        gpu.uuid = text.data();
    }
    return machine;
}

}  // namespace tocuda
