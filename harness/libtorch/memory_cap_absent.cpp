// tocuda, Apache-2.0.
// Replaces memory_cap.cpp in a build without the CUDA headers.
#include "libtorch/allocator.hpp"

namespace tocuda {

std::string cap_memory(std::int64_t, int) { return "built without the CUDA headers that the allocator's cap needs"; }

}  // namespace tocuda
