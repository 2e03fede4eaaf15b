// tocuda, Apache-2.0.
// Random names for runs and sessions.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

namespace tocuda {

// "9f8b1c2e-..." of 16 bytes, as they are.
std::string uuid_text(std::span<const std::uint8_t, 16> bytes);

// Version 4: from the kernel's random numbers.
std::string random_uuid();

}  // namespace tocuda
