// tocuda, Apache-2.0.
// In place of memory_cap.cpp where this was built without the CUDA headers.
#include "libtorch/allocator.hpp"

namespace tocuda {

std::string cap_memory(std::int64_t, int) { return "this was built without the CUDA headers, which the allocator's cap needs"; }

}  // namespace tocuda
