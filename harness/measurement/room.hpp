// tocuda, Apache-2.0.
// Decides whether a parameter set fits into memory, without integer overflow.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <limits>
#include <string>

namespace tocuda {

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

}  // namespace tocuda
