// tocuda, Apache-2.0.
// The numbers of NVML's fields that tocuda reads and that simulated GPUs answer. Some depend on the driver.
#pragma once

#include <array>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

namespace tocuda::nvml_fields {

inline constexpr unsigned power_at_this_moment = 186;  // in mW; other functions report a mean over a second

// How long software thermal slowdown, hardware thermal slowdown and the power brake have held the clock down in all.
struct SlowdownFields {
    unsigned sw_thermal = 0;
    unsigned hw_thermal = 0;
    unsigned hw_power_brake = 0;
};

// Returns nullopt for drivers that have no such fields, or of which that is not known. Where one driver has them,
// others have those of power smoothing: drivers from 575 on had them at 251, and moved them to 269 before 580.82.
inline std::optional<SlowdownFields> slowdown_fields(std::string_view driver) {
    std::array<int, 2> version{};
    for (auto& part : version) {
        const auto [end, error] = std::from_chars(driver.data(), driver.data() + driver.size(), part);
        if (error != std::errc{}) return std::nullopt;
        driver.remove_prefix(static_cast<std::size_t>(end - driver.data()));
        if (driver.starts_with('.')) driver.remove_prefix(1);
    }
    const auto at = std::pair(version[0], version[1]);
    if (at >= std::pair(580, 82)) return SlowdownFields{269, 270, 271};
    if (at >= std::pair(575, 0) && at <= std::pair(580, 65)) return SlowdownFields{251, 252, 253};
    return std::nullopt;
}

}  // namespace tocuda::nvml_fields
