// tocuda, Apache-2.0.
// What the current GPU says of itself, as far as a measurement goes by it.
#pragma once

#include <cstddef>
#include <string>

#include "model/benchmark.hpp"

namespace tocuda {

struct GpuFacts {
    int compute_capability = 0;  // 90 is 9.0
    unsigned multiprocessors = 1;
    std::size_t l2_bytes = 0;      // 0 where the runtime does not say
    std::size_t shared_bytes = 0;  // that one block can have
    Peak memory{};                 // of its memory, read and write together; not known where the runtime does not say
};

GpuFacts gpu_facts();

// The peak for an operation whose bytes lie in so much memory: none where the cache holds all of it. What it may hold
// of more goes with the peak.
Peak memory_peak(const GpuFacts& gpu, std::size_t footprint_bytes);

// What is needed and what was found; empty where the GPU can.
std::string why_not_capable(const GpuFacts& gpu, int compute_capability);

}  // namespace tocuda
