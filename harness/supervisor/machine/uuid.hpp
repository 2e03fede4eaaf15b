// tocuda, Apache-2.0.
// Random ids for runs and sessions.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

namespace tocuda {

// Writes 16 bytes unchanged as "9f8b1c2e-...".
std::string uuid_text(std::span<const std::uint8_t, 16> bytes);

// Returns a version 4 UUID from the kernel's random numbers.
std::string random_uuid();

}  // namespace tocuda
