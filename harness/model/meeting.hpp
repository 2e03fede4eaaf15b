// tocuda, Apache-2.0.
// Where processes meet that measure at the same time: numbers in a file that each of them maps. Each number but the first only grows.
#pragma once

#include <atomic>
#include <cstdint>

namespace tocuda {

// Names the file to a process that is to meet others.
inline constexpr const char* meeting_variable = "TOCUDA_MEETING";

// What a process says of a set that it has not measured because another one had ended: it is measured again, by all of them.
inline constexpr const char* neighbour_has_ended = "the process of a GPU beside it has ended";

// They go through the same groups of parameter sets in the same order, and no one begins a group before all have finished the one before.
struct Meeting {
    std::uint32_t members = 0;
    std::atomic<std::uint32_t> arrivals = 0;  // of a member at a group
    std::atomic<std::uint32_t> unready = 0;   // of these, those that have nothing to measure
    std::atomic<std::uint32_t> finishes = 0;  // of a member with a group
    std::atomic<std::uint32_t> failures = 0;  // of these, those that have no samples
    std::atomic<std::uint32_t> left = 0;      // members that have ended, however they did
};

static_assert(std::atomic<std::uint32_t>::is_always_lock_free, "processes share them");

}  // namespace tocuda
