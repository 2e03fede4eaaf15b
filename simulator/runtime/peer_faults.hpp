// tocuda, Apache-2.0.
// Injected faults between two GPUs: what kernels store into the memory of the other, and copies to it, do not arrive.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string_view>
#include <vector>

#include "simulator/schema/simulated_machine.hpp"

namespace tocuda::simulator {

class PeerFaults {
public:
    explicit PeerFaults(const std::vector<SimulatedFault>& faults);

    bool any() const { return !between_gpus.empty(); }
    bool loses_copies(int from, int to) const { return find(from, to, "uncopied"); }

    // Memory of another GPU that a kernel can store to.
    struct Range {
        int of = 0;  // that GPU, by its order in the machine
        std::byte* begin = nullptr;
        std::size_t bytes = 0;
    };
    // Does what a kernel on GPU `from` does, then undoes what does not arrive. `ends`: the kernel ends with it.
    void run(int from, const std::vector<Range>& reached, bool ends, const std::function<void()>& effect);

private:
    const SimulatedFault* find(int from, int to, std::string_view peer) const;

    std::vector<SimulatedFault> between_gpus;
    std::map<std::pair<int, std::byte*>, std::vector<std::byte>> mirrors;  // what a GPU sees there instead
};

}  // namespace tocuda::simulator
