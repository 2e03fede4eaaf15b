// tocuda, Apache-2.0.
// Caps the caching allocator through its memory fraction. Needs the CUDA headers; memory_cap_absent.cpp replaces this
// file without them.
#include <ATen/Context.h>
#include <c10/cuda/CUDACachingAllocator.h>

#include "libtorch/allocator.hpp"

namespace tocuda {

std::string cap_memory(std::int64_t bytes, int device) {
    at::globalContext().lazyInitDevice(c10::DeviceType::CUDA);
    const auto index = static_cast<c10::DeviceIndex>(device);
    const auto total = at::getDeviceAllocator(at::kCUDA)->getMemoryInfo(index).second;
    if (static_cast<std::size_t>(bytes) > total) return "the GPU has less memory than the cap";
    // Half a byte more, because the allocator multiplies the fraction back and truncates.
    c10::cuda::CUDACachingAllocator::setMemoryFraction((static_cast<double>(bytes) + 0.5) / static_cast<double>(total),
                                                       index);
    return "";
}

}  // namespace tocuda
