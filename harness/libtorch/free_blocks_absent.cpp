// tocuda, Apache-2.0.
// Replaces free_blocks.cpp in a build without the CUDA headers.
#include "libtorch/free_blocks.hpp"

namespace tocuda {

FreeBlocks free_blocks(int) {
    return {.unknown = "built without the CUDA headers that the allocator's snapshot needs"};
}

void say(Observer& see, const std::string& name, const FreeBlocks&) { see(name + ".known", false); }

}  // namespace tocuda
