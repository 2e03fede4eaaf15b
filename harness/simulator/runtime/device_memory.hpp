// tocuda, Apache-2.0.
// Device memory as cudaMalloc allocates it: whole granules of the budget, in the device's own reservation.
#pragma once

#include "runtime/answer.hpp"

namespace tocuda::simulator {

cudaError_t take_device_memory(Simulation& simulation, Device& device, std::size_t bytes, void** result);
cudaError_t give_back_device_memory(Simulation& simulation, const Allocation& allocation);

}  // namespace tocuda::simulator
