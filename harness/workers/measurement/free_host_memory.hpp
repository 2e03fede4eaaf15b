// tocuda, Apache-2.0.
// Finds how much memory the host has left before an allocation could get a process killed.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace tocuda {

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

}  // namespace tocuda
