// tocuda, Apache-2.0.
// The caching allocator's figures, and a cap on its memory, so that a small experiment needs no small GPU.
#pragma once

#include <cstdint>
#include <string>

#include "model/evidence.hpp"
#include "worker/observer.hpp"

namespace tocuda {

inline constexpr std::int64_t mebibyte = std::int64_t{1} << 20;

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

// The free blocks in the allocator's snapshot: the pieces of memory that are reserved but used by no tensor.
struct FreeBlocks {
    std::string unknown{};  // why there is no snapshot; empty if there is one
    std::int64_t count = 0;
    std::int64_t bytes = 0;
    std::int64_t largest_bytes = 0;
    bool expandable = false;  // there is an expandable segment
};

FreeBlocks free_blocks(int device = 0);
// Records NAME.known and, if true, NAME.free_blocks, NAME.free_mib, NAME.largest_free_mib and NAME.expandable.
void say(Observer& see, const std::string& name, const FreeBlocks& blocks);

// Limits what the allocator may take of the device from now on. Returns the reason on failure, empty on success.
std::string cap_memory(std::int64_t bytes, int device = 0);
// Does so, and records "cap", the reason or empty, and "cap.mib".
void cap(Observer& see, std::int64_t mebibytes, int device = 0);
// For judges: throws Undecided unless this succeeded, and each out-of-memory error names that limit.
void require_cap(const Evidence& evidence);

}  // namespace tocuda
