// tocuda, Apache-2.0.
// A kernel that does nothing, to measure what its launch costs.
#pragma once

#include "measurement/stream.hpp"

namespace tocuda {

// Queues it, with one thread in each block. With a counter, in memory that the GPU can access, each block adds one to
// it: so a check sees that it ran.
void launch_empty(const Stream& stream, unsigned long long* counter = nullptr, unsigned blocks = 1);
// Its address, for calls that take a kernel's.
const void* empty_kernel();

}  // namespace tocuda
