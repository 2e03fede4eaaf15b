// tocuda, Apache-2.0.
// Host memory that the runtime gives or knows: pinned, registered, managed.
#pragma once

#include "runtime/answer.hpp"

namespace tocuda::stand_in {

cudaError_t take_host_memory(const Call& call, std::size_t bytes, MemoryKind kind, unsigned flags, void** result);
// The host's time for each page of it.
void spend_on_pages(Simulation& simulation, Device& device, std::size_t bytes, std::int64_t nanoseconds_each);
// By value: the table's own entry goes with it.
cudaError_t release_host_memory(Simulation& simulation, Allocation allocation);

}  // namespace tocuda::stand_in
