// tocuda, Apache-2.0.
// A kernel that keeps SMs busy for a number of cycles and records how long that took.
#pragma once

#include <cstdint>

namespace tocuda {

struct Pace {
    long long cycles = 0;
    unsigned long long nanoseconds = 0;
};

struct BusyCycles {
    static constexpr bool has_barrier = false;

    template <class Block>
    constexpr void operator()(Block& block, long long cycles, Pace* pace) const {
        const auto began_ns = block.nanoseconds();
        const auto began = block.cycles();
        float product = static_cast<float>(block.thread + 1);
        while (block.cycles() - began < cycles)
            for (int i = 0; i < 64; ++i) product = product * 1.0000001F + 0.5F;
        if (block.block != 0 || block.thread != 0) {
            if (product == -1) pace->cycles = 0;  // never true, but keeps the compiler from removing the product
            return;
        }
        pace->cycles = block.cycles() - began;
        pace->nanoseconds = block.nanoseconds() - began_ns;
    }

    // For simulated GPUs, whose SMs have no clock that a kernel could measure.
    static double simulated_seconds(long long, const Pace*) { return 1e-3; }
};

}  // namespace tocuda
