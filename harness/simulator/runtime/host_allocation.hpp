// tocuda, Apache-2.0.
// Host memory that the runtime allocates or registers: pinned, registered, managed.
#pragma once

#include "runtime/answer.hpp"

namespace tocuda::simulator {

cudaError_t take_host_memory(const Call& call, std::size_t bytes, MemoryKind kind, unsigned flags, void** result);
// Charges the host's time for each page.
void spend_on_pages(Simulation& simulation, Device& device, std::size_t bytes, std::int64_t nanoseconds_each);
// By value, because the table's own entry is removed.
cudaError_t release_host_memory(Simulation& simulation, Allocation allocation);

}  // namespace tocuda::simulator
