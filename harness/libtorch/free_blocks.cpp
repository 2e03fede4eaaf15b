// tocuda, Apache-2.0.
// Reads the allocator's snapshot, which needs the CUDA headers; free_blocks_absent.cpp replaces this file without them.
#include "libtorch/free_blocks.hpp"

#include <c10/cuda/CUDACachingAllocator.h>

#include <algorithm>

namespace tocuda {

FreeBlocks free_blocks(int device) {
    FreeBlocks free;
    try {
        for (const auto& segment : c10::cuda::CUDACachingAllocator::snapshot().segments) {
            if (segment.device != static_cast<c10::DeviceIndex>(device)) continue;
            for (const auto& block : segment.blocks) {
                if (block.active) continue;
                const auto bytes = static_cast<std::int64_t>(block.size);
                ++free.count;
                free.bytes += bytes;
                free.largest_bytes = std::max(free.largest_bytes, bytes);
            }
        }
    } catch (const c10::Error& error) {
        free.unknown = error.what_without_backtrace();
    }
    return free;
}

void say(Observer& see, const std::string& name, const FreeBlocks& blocks) {
    constexpr std::int64_t mebibyte = std::int64_t{1} << 20;
    see(name + ".known", blocks.unknown.empty());
    if (!blocks.unknown.empty()) return;
    see(name + ".free_blocks", blocks.count);
    see(name + ".free_mib", blocks.bytes / mebibyte);
    see(name + ".largest_free_mib", blocks.largest_bytes / mebibyte);
}

}  // namespace tocuda
