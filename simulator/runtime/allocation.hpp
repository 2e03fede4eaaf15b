// tocuda, Apache-2.0.
// Memory that the runtime allocates: device memory in whole granules of the budget and in the device's own reservation;
// pinned and managed memory on the host.
#pragma once

#include "runtime/call_frame.hpp"

namespace tocuda::simulator {

cudaError_t take_device_memory(Simulation& simulation, Device& device, std::size_t bytes, void** result);
cudaError_t give_back_device_memory(Simulation& simulation, const Allocation& allocation);

cudaError_t take_host_memory(const Call& call, std::size_t bytes, MemoryKind kind, unsigned flags, void** result);
// By value, because the table's own entry is removed.
cudaError_t release_host_memory(Simulation& simulation, Allocation allocation);

}  // namespace tocuda::simulator
