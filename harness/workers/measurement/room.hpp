// tocuda, Apache-2.0.
// Whether a parameter set fits into the free memory of the host and the GPU.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>

namespace tocuda {

// Finds how much memory the host has left before an allocation could get a process killed.

// The texts of the machine's and the control group's files; absent if there is no such file.
struct HostMemoryFiles {
    std::string meminfo{};
    std::string version{};               // of the kernel
    std::optional<std::string> limit{};  // memory.max, or memory.limit_in_bytes of cgroup v1
    std::optional<std::string> used{};
    std::optional<std::string> group_statistics{};  // memory.stat, for what can be reclaimed
};

// Returns the lowest free amount of them; nullopt if none can be read. A sandbox such as gVisor's gets memory as it
// uses it and reports little until then, so that its number says nothing: there only an allocation can tell.
std::optional<std::size_t> free_host_bytes(const HostMemoryFiles& files);
std::optional<std::size_t> free_host_bytes();

// Decides whether a parameter set fits into the free memory of the host and the GPU, without integer overflow.
constexpr std::size_t allocation_granule = std::size_t{2} << 20;  // the unit in which the runtime allocates

// Returns the total of several allocations, each rounded up as the runtime does; saturates on overflow.
constexpr std::size_t allocated_bytes(std::initializer_list<std::size_t> each) {
    constexpr auto most = std::numeric_limits<std::size_t>::max();
    std::size_t sum = 0;
    for (const auto bytes : each) {
        const auto granules = bytes / allocation_granule + (bytes % allocation_granule != 0 ? 1 : 0);
        const auto rounded = granules > most / allocation_granule ? most : granules * allocation_granule;
        sum = rounded > most - sum ? most : sum + rounded;
    }
    return sum;
}

// Returns what is needed and what is free. Empty if it fits.
inline std::string why_no_room(std::size_t needed, std::size_t free, const std::string& where = "of the GPU's memory") {
    if (needed <= free) return "";
    return std::to_string(needed) + " bytes " + where + " are needed; " + std::to_string(free) + " are free";
}

struct Room {
    std::size_t host_bytes = 0;
    std::size_t device_bytes = 0;
};

struct Free {
    std::optional<std::size_t> host_bytes{};  // counts as enough if unknown
    std::size_t device_bytes = 0;
};

// The same for both, leaving some of the free memory for everything else.
inline std::string why_too_large(const Room& needed, const Free& free) {
    constexpr std::size_t left_to_the_host = std::size_t{512} << 20;
    constexpr std::size_t left_to_the_device = std::size_t{64} << 20;
    const auto less = [](std::size_t bytes, std::size_t left) { return bytes > left ? bytes - left : 0; };
    const auto device = why_no_room(needed.device_bytes, less(free.device_bytes, left_to_the_device));
    if (!device.empty() || !free.host_bytes) return device;
    return why_no_room(needed.host_bytes, less(*free.host_bytes, left_to_the_host), "of the host's memory");
}

}  // namespace tocuda
