// tocuda, Apache-2.0.
// How many blocks of a launch fit on one multiprocessor of a simulated GPU.
#pragma once

#include <cstddef>

#include "model/simulated/gpu.hpp"

namespace tocuda::simulator {

// The device code is not read: every kernel is assumed to use this many registers and no static shared memory.
inline constexpr int assumed_registers = 32;

int blocks_per_multiprocessor(const SimulatedGpu& gpu, int block_threads, std::size_t dynamic_shared_bytes);
std::size_t shared_bytes_left(const SimulatedGpu& gpu, int blocks);

}  // namespace tocuda::simulator
