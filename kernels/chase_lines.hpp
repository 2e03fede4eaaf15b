// tocuda, Apache-2.0.
// The inner loop of a chase of pointers, timed by the GPU's two clocks.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/chase.hpp"

namespace tocuda::kernels::chase {

struct Line {
    const Line* next;
};

// The clocks are read only once the loads before have returned: the branches depend on them. What is added up is the
// address of the step before, so that the loop's branch does not wait for the newest load.
template <class Block, class Follow>
constexpr void chase_lines(const Block& block, const Chase& chase, const Follow& followed, Chased* result) {
    const auto* line = reinterpret_cast<const Line*>(chase.memory + chase.first * line_bytes);
    for (std::size_t i = 0; i < chase.warm_loads; ++i) line = followed(&line->next);
    if (!line) return;
    const auto began_ns = block.nanoseconds();
    const auto began = block.cycles();
    const auto* const first = line;
    std::uint64_t sum = 0;
#ifdef __CUDA_ARCH__
#pragma unroll 16
#endif
    for (std::size_t i = 0; i < chase.loads; ++i) {
        sum += reinterpret_cast<std::uintptr_t>(line);
        line = followed(&line->next);
    }
    if (!line) return;
    const auto cycles = block.cycles() - began;
    const auto nanoseconds = block.nanoseconds() - began_ns;
    const auto end = reinterpret_cast<std::uintptr_t>(line);
    *result = {end, sum + end - reinterpret_cast<std::uintptr_t>(first), cycles, nanoseconds};
}

}  // namespace tocuda::kernels::chase
