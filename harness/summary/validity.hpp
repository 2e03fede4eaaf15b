// tocuda, Apache-2.0.
// Which processes' samples mean nothing because the GPU was throttled, and what only deserves a flag. A clock that is
// low all the time is a flag: a healthy card at its power limit, or one that somebody has locked, must not lose its
// rows. But nobody quotes a row with the first of them.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/benchmark.hpp"
#include "model/machine.hpp"

namespace tocuda {

// What holds a clock down that is neither the work's nor the power limit's doing: reasons, and counters of how long
// they have.
inline constexpr std::array<std::string_view, 4> throttling{"hw_slowdown", "hw_thermal", "hw_power_brake",
                                                            "sw_thermal"};

inline constexpr std::string_view sm_clock_below_half = "sm_clock_below_half";

// The clock under load: as read during the samples, else after them, else before; none where the GPU said that it was
// idle then.
std::optional<int> sm_clock_under_load(const Samples& samples);

// The median of the above over a row's processes, or none.
std::optional<double> usual_sm_clock(std::span<const Samples* const> processes);

// Why these samples do not count, or nothing: a violation counter of throttling has advanced between the two
// readings, or the SM clock was 5 % below the usual one.
std::string why_invalid(const Samples& samples, std::optional<double> usual_clock);

// The worker's own flags and those of its telemetry, each once: sw_power_cap and its other reasons, foreign_processes,
// link_below_maximum (what the link could be at most comes from the run line), what the clocks under load are below,
// partly_in_l2. Running at application clocks is none, nor is being idle while nothing was asked of the GPU.
std::vector<std::string> flags_of(const Samples& samples, const PcieLink& link = {});

}  // namespace tocuda
