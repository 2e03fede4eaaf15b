// tocuda, Apache-2.0.
// A kernel that does nothing, to measure what its launch costs.
#pragma once

#include <array>
#include <cstdint>

#include "measurement/cuda_objects.hpp"

namespace tocuda {

// Queues it, with one thread in each block. With a counter, in memory that the GPU can access, each block adds one to
// it: so a check sees that it ran.
void launch_empty(const Stream& stream, unsigned long long* counter = nullptr, unsigned blocks = 1);
// How many bytes of arguments such a kernel can have: two words, as above, up to nearly the most that CUDA passes.
inline constexpr std::array<std::int64_t, 4> argument_bytes{16, 256, 4096, 32760};
// Returns what launches the kernel with so many. With a counter, the last word is what it adds to it.
using LaunchEmpty = void (*)(const Stream& stream, unsigned long long* counter);
LaunchEmpty launcher_with(std::int64_t bytes);
// Its address, for calls that take a kernel's.
const void* empty_kernel();

}  // namespace tocuda
