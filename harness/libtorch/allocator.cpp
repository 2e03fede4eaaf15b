// tocuda, Apache-2.0.
// Uses the interface that all of LibTorch's device allocators share.
#include "libtorch/allocator.hpp"

#include <ATen/DeviceAccelerator.h>
#include <c10/core/CachingDeviceAllocator.h>

namespace tocuda {
namespace {

constexpr std::size_t aggregate = 0;  // the small and the large pool together

}  // namespace

AllocatorFigures allocator_figures(int device) {
    const auto stats = at::getDeviceAllocator(at::kCUDA)->getDeviceStats(static_cast<c10::DeviceIndex>(device));
    return {stats.allocated_bytes[aggregate].current,
            stats.reserved_bytes[aggregate].current,
            stats.inactive_split_bytes[aggregate].current,
            stats.num_device_alloc,
            stats.num_alloc_retries,
            stats.num_ooms};
}

void say(Observer& see, const std::string& name, const AllocatorFigures& figures) {
    see(name + ".allocated_mib", figures.allocated_bytes / mebibyte);
    see(name + ".reserved_mib", figures.reserved_bytes / mebibyte);
    see(name + ".inactive_split_mib", figures.inactive_split_bytes / mebibyte);
    see(name + ".device_allocations", figures.device_allocations);
    see(name + ".retries", figures.retries);
    see(name + ".out_of_memory", figures.out_of_memory);
}

void say(Observer& see, const std::string& name, const FreeBlocks& blocks) {
    see(name + ".known", blocks.unknown.empty());
    if (!blocks.unknown.empty()) return;
    see(name + ".free_blocks", blocks.count);
    see(name + ".free_mib", blocks.bytes / mebibyte);
    see(name + ".largest_free_mib", blocks.largest_bytes / mebibyte);
}

void empty_cache() { at::getDeviceAllocator(at::kCUDA)->emptyCache(); }

void require_cap(const Evidence& evidence) {
    if (const auto& cap = evidence.text("cap"); !cap.empty()) throw Undecided("the memory could not be capped: " + cap);
}

}  // namespace tocuda
