// tocuda, Apache-2.0.
// What the host has left for one more allocation, before someone is killed for it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace tocuda {

// The machine's and each control group's word on it, as text; absent where there is no such file.
struct HostMemoryFiles {
    std::string meminfo{};
    std::optional<std::string> limit{};  // memory.max, or memory.limit_in_bytes of the older kind
    std::optional<std::string> used{};
    std::optional<std::string> group_statistics{};  // memory.stat: what the group could give back
};

// The least of what they leave; nothing where none of them can be read.
std::optional<std::size_t> free_host_bytes(const HostMemoryFiles& files);
std::optional<std::size_t> free_host_bytes();

}  // namespace tocuda
