// tocuda, Apache-2.0.
// Replaces cuda_allocator.cpp in a build without the CUDA headers.
#include "libtorch/allocator.hpp"

namespace tocuda {

FreeBlocks free_blocks(int) {
    return {.unknown = "built without the CUDA headers that the allocator's snapshot needs"};
}

std::string cap_memory(std::int64_t, int) { return "built without the CUDA headers that the allocator's cap needs"; }

}  // namespace tocuda
