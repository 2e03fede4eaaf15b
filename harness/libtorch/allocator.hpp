// tocuda, Apache-2.0.
// The caching allocator's own figures, and a cap on what it may take, so that a small experiment needs no small GPU.
#pragma once

#include <cstdint>
#include <string>

#include "worker/observer.hpp"

namespace tocuda {

struct AllocatorFigures {
    std::int64_t allocated_bytes = 0;
    std::int64_t reserved_bytes = 0;
    std::int64_t inactive_split_bytes = 0;
    std::int64_t device_allocations = 0;
    std::int64_t retries = 0;
    std::int64_t out_of_memory = 0;
};

AllocatorFigures allocator_figures(int device = 0);
// Keys NAME.allocated_mib, NAME.reserved_mib, NAME.inactive_split_mib, NAME.device_allocations, NAME.retries, NAME.out_of_memory.
void say(Observer& see, const std::string& name, const AllocatorFigures& figures);
void empty_cache();

// From here on the allocator may take no more than this of the device. Returns why that could not be done, or nothing.
std::string cap_memory(std::int64_t bytes, int device = 0);

}  // namespace tocuda
