// tocuda, Apache-2.0.
// What is needed of the host's and the GPU's memory against what is free of it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace tocuda {

struct Room {
    std::size_t host_bytes = 0;
    std::size_t device_bytes = 0;
};

struct Free {
    std::optional<std::size_t> host_bytes{};  // where it is not known, it counts as enough
    std::size_t device_bytes = 0;
};

// What is needed and what was found; empty where it fits.
std::string why_too_large(const Room& needed, const Free& free);

}  // namespace tocuda
