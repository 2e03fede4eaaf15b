// tocuda, Apache-2.0.
// The allocator's free blocks from its own snapshot: the pieces of memory that are reserved but used by no tensor.
#pragma once

#include <cstdint>
#include <string>

#include "worker/observer.hpp"

namespace tocuda {

struct FreeBlocks {
    std::string unknown{};  // why there is no snapshot; empty if there is one
    std::int64_t count = 0;
    std::int64_t bytes = 0;
    std::int64_t largest_bytes = 0;
};

FreeBlocks free_blocks(int device = 0);
// Records NAME.known and, if true, NAME.free_blocks, NAME.free_mib and NAME.largest_free_mib.
void say(Observer& see, const std::string& name, const FreeBlocks& blocks);

}  // namespace tocuda
