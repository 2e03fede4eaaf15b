// tocuda, Apache-2.0.
// The caching allocator's figures, and a cap on its memory, so that a small experiment needs no small GPU.
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
// Records NAME.allocated_mib, NAME.reserved_mib, NAME.inactive_split_mib, NAME.device_allocations, NAME.retries and
// NAME.out_of_memory.
void say(Observer& see, const std::string& name, const AllocatorFigures& figures);
void empty_cache();

// Limits what the allocator may take of the device from now on. Returns the reason on failure, empty on success.
std::string cap_memory(std::int64_t bytes, int device = 0);

}  // namespace tocuda
