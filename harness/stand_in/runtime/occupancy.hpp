// tocuda, Apache-2.0.
// How many blocks of a launch one multiprocessor of a simulated GPU holds.
#pragma once

#include <cstddef>

#include "model/simulated/gpu.hpp"

namespace tocuda::stand_in {

// What the device code says of a kernel is not read: registers are taken as these, static shared memory as none.
inline constexpr int assumed_registers = 32;

int blocks_per_multiprocessor(const SimulatedGpu& gpu, int block_threads, std::size_t dynamic_shared_bytes);
std::size_t shared_bytes_left(const SimulatedGpu& gpu, int blocks);

}  // namespace tocuda::stand_in
