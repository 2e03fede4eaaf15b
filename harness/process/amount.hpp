// tocuda, Apache-2.0.
// Formats an amount of memory: "200 MiB", "1.5 GiB".
#pragma once

#include <cstdint>
#include <string>

namespace tocuda {

std::string amount_of_bytes(std::int64_t bytes);

}  // namespace tocuda
