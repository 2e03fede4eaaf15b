// tocuda, Apache-2.0.
// Decides which processes are invalid because the GPU was throttled, and which only get a flag. A clock that is always
// low is a flag, and so is one that the power limit holds down, in all processes or in some: a healthy card at its
// power limit or with locked clocks must not lose its rows. But rows with `sm_clock_below_half` cannot be cited.
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

// Throttling caused by neither the workload nor the power limit: the names of the reasons and of their duration
// counters.
inline constexpr std::array<std::string_view, 4> throttling{"hw_slowdown", "hw_thermal", "hw_power_brake",
                                                            "sw_thermal"};

inline constexpr std::string_view sm_clock_below_half = "sm_clock_below_half";

// Returns the SM clock read during the samples, else after them, else before them; nullopt if the GPU reported that it
// was idle at that reading.
std::optional<int> sm_clock_under_load(const Samples& samples);

// Whether the power limit alone held that clock down: it was given as a reason at that reading, or its counter
// advanced, and no throttling was given beside it.
bool is_power_capped(const Samples& samples);

// Whether the SM clock was at least 5 % below the usual one.
bool is_clocked_down(const Samples& samples, std::optional<double> usual_clock);

// Returns the median of sm_clock_under_load over a row's processes; nullopt if none was read.
std::optional<double> usual_sm_clock(std::span<const Samples* const> processes);

// Returns why these samples are invalid, or "": their load ended early, a throttling counter advanced between the two
// readings, a throttling reason was given under load with the SM clock below 90 % of its maximum, or the SM clock was
// at least 5 % below the usual one and not by the power limit. Throttling never invalidates a sustained measurement,
// which is made to show it.
std::string why_invalid(const Samples& samples, std::optional<double> usual_clock);

// Returns the worker's own flags and those of its telemetry, each once: sw_power_cap and other throttle reasons,
// foreign_processes, errors counted meanwhile (pcie_replays, ecc_corrected, ecc_uncorrected, xid),
// link_below_maximum (the maximum comes from the run line), low clocks under load, partly_in_l2, a timer whose step is
// more than a percent of a sample.
// Application clocks are not flagged, nor is a GPU that is idle while not in use.
Flags flags_of(const Samples& samples, const PcieLink& link = {});

}  // namespace tocuda
