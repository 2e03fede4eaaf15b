// tocuda, Apache-2.0.
#include "process/amount.hpp"

#include <array>
#include <cstdio>

namespace tocuda {

std::string amount_of_bytes(std::int64_t bytes) {
    constexpr std::array<const char*, 5> units{"bytes", "KiB", "MiB", "GiB", "TiB"};
    auto amount = static_cast<double>(bytes);
    std::size_t unit = 0;
    for (; amount >= 1024 && unit + 1 < units.size(); ++unit) amount /= 1024;
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.4g %s", amount, units[unit]);
    return text.data();
}

}  // namespace tocuda
