// tocuda, Apache-2.0.
// The second GPU, for benchmarks whose kernels run on the first and access the other's memory.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "measurement/cuda_objects.hpp"

namespace tocuda {

inline constexpr int first_gpu = 0;  // where the kernels run
inline constexpr int second_gpu = 1;

inline int count_of_gpus() {
    int count = 0;
    require("cudaGetDeviceCount", cudaGetDeviceCount(&count));
    return count;
}

inline bool can_access_peer(int gpu, int other) {
    int possible = 0;
    require("cudaDeviceCanAccessPeer", cudaDeviceCanAccessPeer(&possible, gpu, other));
    return possible != 0;
}

// Enables one GPU's access to the memory of another; false if there can be none.
inline bool enabled_peer_access(int gpu = first_gpu, int other = second_gpu) {
    if (!can_access_peer(gpu, other)) return false;
    const OnDevice current(gpu);
    const auto enabled = cudaDeviceEnablePeerAccess(other, 0);
    if (enabled == cudaErrorPeerAccessAlreadyEnabled) static_cast<void>(cudaGetLastError());
    else require("cudaDeviceEnablePeerAccess", enabled);
    return true;
}

inline void switch_off_peer_access(int gpu, int other) {
    const OnDevice current(gpu);
    const auto disabled = cudaDeviceDisablePeerAccess(other);
    if (disabled == cudaErrorPeerAccessNotEnabled) static_cast<void>(cudaGetLastError());
    else require("cudaDeviceDisablePeerAccess", disabled);
}

// What a copy between two GPUs is counted as where the driver copies in pieces, through the host's memory.
inline constexpr std::int64_t operations_through_the_host = 64;

inline constexpr const char* why_no_peer_access =
    "a kernel on one GPU needs peer access to the other; the CUDA runtime reports that there is none";

}  // namespace tocuda
