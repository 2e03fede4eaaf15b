// tocuda, Apache-2.0.
// The snapshot of the caching allocator, and its cap through the memory fraction. Both need the CUDA headers;
// cuda_allocator_absent.cpp replaces this file without them.
#include <ATen/Context.h>
#include <ATen/cuda/CUDAContextLight.h>
#include <c10/cuda/CUDACachingAllocator.h>

#include <algorithm>

#include "libtorch/allocator.hpp"

namespace tocuda {

FreeBlocks free_blocks(int device) {
    FreeBlocks free;
    try {
        for (const auto& segment : c10::cuda::CUDACachingAllocator::snapshot().segments) {
            if (segment.device != static_cast<c10::DeviceIndex>(device)) continue;
            free.expandable = free.expandable || segment.is_expandable;
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

std::string cap_memory(std::int64_t bytes, int device) {
    at::globalContext().lazyInitDevice(c10::DeviceType::CUDA);
    const auto index = static_cast<c10::DeviceIndex>(device);
    // What the allocator multiplies the fraction by. The driver's figure beside the free memory may be less.
    const auto total = at::cuda::getDeviceProperties(index)->totalGlobalMem;
    if (static_cast<std::size_t>(bytes) > total)
        return "the GPU's " + std::to_string(total >> 20U) + " MiB are less than the cap of " +
               std::to_string(bytes >> 20U) + " MiB";
    // Half a byte more, because the allocator multiplies the fraction back and truncates.
    const double fraction = (static_cast<double>(bytes) + 0.5) / static_cast<double>(total);
    c10::cuda::CUDACachingAllocator::setMemoryFraction(fraction < 1 ? fraction : 1, index);
    return "";
}

}  // namespace tocuda
