// tocuda, Apache-2.0.
// The properties of the current GPU that measurements depend on.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <string>

#include "model/benchmark.hpp"

namespace tocuda {

// The current device of the CUDA runtime: its identifiers and attributes.
int current_device();
int attribute(cudaDeviceAttr which);
std::string uuid_of_current_device();    // "GPU-...", or "MIG-..." of an instance
std::string bus_id_of_current_device();  // "0000:C1:00.0"

struct GpuFacts {
    int compute_capability = 0;  // 90 is 9.0
    unsigned multiprocessors = 1;
    std::size_t l2_bytes = 0;      // 0 if the runtime does not report it
    std::size_t shared_bytes = 0;  // the most that one block can have
    Peak memory{};                 // of its memory, read and write together; unknown if the runtime does not report it
};

GpuFacts gpu_facts();

// Returns the peak for an operation on this footprint; no peak if the L2 cache holds all of it. For larger footprints
// the peak records both sizes, since the cache may hold part of it.
Peak memory_peak(const GpuFacts& gpu, std::size_t footprint_bytes);

// Returns what is needed and what was found. Empty if the GPU is capable.
std::string why_not_capable(const GpuFacts& gpu, int compute_capability);

}  // namespace tocuda
