// tocuda, Apache-2.0.
// Compares the memory needed on the host and the GPU with what is free.
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
    std::optional<std::size_t> host_bytes{};  // counts as enough if unknown
    std::size_t device_bytes = 0;
};

// Returns what is needed and what is free. Empty if it fits.
std::string why_too_large(const Room& needed, const Free& free);

}  // namespace tocuda
