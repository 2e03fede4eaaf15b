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
    // `happened` is told which fault of the machine's list has just kept something from arriving.
    explicit PeerFaults(const std::vector<SimulatedFault>& faults, std::function<void(std::size_t)> happened = {});

    bool any() const { return !between_gpus.empty(); }
    bool loses_copies(int from, int to) const;

    // Memory of another GPU that a kernel can store to.
    struct Range {
        int of = 0;  // that GPU, by its order in the machine
        std::byte* begin = nullptr;
        std::size_t bytes = 0;
    };
    // Does what a kernel on GPU `from` does, then undoes what does not arrive. `ends`: the kernel ends with it.
    void run(int from, const std::vector<Range>& reached, bool ends, const std::function<void()>& effect);

private:
    struct Between {
        SimulatedFault fault;
        std::size_t place = 0;  // in the machine's list
    };
    const Between* find(int from, int to, std::string_view peer) const;

    std::vector<Between> between_gpus{};
    std::function<void(std::size_t)> tell;
    std::map<std::pair<int, std::byte*>, std::vector<std::byte>> mirrors;  // what a GPU sees there instead
};

}  // namespace tocuda::simulator
