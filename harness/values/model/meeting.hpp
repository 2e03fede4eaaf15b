// tocuda, Apache-2.0.
// The shared counters by which processes that measure at the same time wait for each other, in a file that each maps.
// All but `members` only grow.
#pragma once

#include <atomic>
#include <cstdint>

namespace tocuda {

// Environment variable that names the file to a process that must wait for others.
inline constexpr const char* meeting_variable = "TOCUDA_MEETING";

// Why a process did not measure a set: another process of the group ended. All of them measure the set again.
inline constexpr const char* neighbour_has_ended = "the process of another GPU has ended";

// The processes go through the same groups of parameter sets in the same order. None begins a group before all have
// finished the previous one.
struct Meeting {
    std::uint32_t members = 0;
    std::atomic<std::uint32_t> arrivals = 0;  // of a member at a group
    std::atomic<std::uint32_t> unready = 0;   // arrivals that have nothing to measure
    std::atomic<std::uint32_t> finishes = 0;  // of a member with a group
    std::atomic<std::uint32_t> failures = 0;  // finishes that have no samples
    std::atomic<std::uint32_t> left = 0;      // members that have ended, for any reason
};

static_assert(std::atomic<std::uint32_t>::is_always_lock_free, "shared between processes");

}  // namespace tocuda
