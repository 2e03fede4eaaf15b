// tocuda, Apache-2.0.
// A cap on the caching allocator, by its own fraction. The only file that needs the CUDA headers; without them memory_cap_absent.cpp
// takes its place.
#include <ATen/Context.h>
#include <c10/cuda/CUDACachingAllocator.h>

#include "libtorch/allocator.hpp"

namespace tocuda {

std::string cap_memory(std::int64_t bytes, int device) {
    at::globalContext().lazyInitDevice(c10::DeviceType::CUDA);
    const auto index = static_cast<c10::DeviceIndex>(device);
    const auto total = at::getDeviceAllocator(at::kCUDA)->getMemoryInfo(index).second;
    if (static_cast<std::size_t>(bytes) > total) return "the GPU has less memory than that";
    // Half a byte more: the allocator multiplies back and cuts off.
    c10::cuda::CUDACachingAllocator::setMemoryFraction((static_cast<double>(bytes) + 0.5) / static_cast<double>(total), index);
    return "";
}

}  // namespace tocuda
