// tocuda, Apache-2.0.
// The two directions of the link between host and GPU.
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <string>

#include "model/benchmark.hpp"

namespace tocuda {

enum class Direction { host_to_device, device_to_host };
inline constexpr std::array<Direction, 2> directions{Direction::host_to_device, Direction::device_to_host};

constexpr const char* word(Direction direction) {
    return direction == Direction::host_to_device ? "host_to_device" : "device_to_host";
}
constexpr cudaMemcpyKind kind(Direction direction) {
    return direction == Direction::host_to_device ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost;
}
// What a copy brings to the GPU is compared there, what it brings to the host by the CPU.
constexpr Handling handling_of(Direction direction) {
    return direction == Direction::host_to_device ? Handling::to_gpu : Handling::by_host;
}
// Returns "to the GPU" or "to the host", for summaries.
constexpr const char* aim(Direction direction) {
    return direction == Direction::host_to_device ? "to the GPU" : "to the host";
}

}  // namespace tocuda
