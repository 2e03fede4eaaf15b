// tocuda, Apache-2.0.
// Time of the host: its clock, and the work of the CPU itself.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>

#include "measurement/relay.hpp"

namespace tocuda {

// The host's clock: the steady clock, or the virtual clock of simulated GPUs, which can be controlled.

// Returns the virtual time of the simulated runtime in this process; nullopt if there is none.
std::optional<double> virtual_seconds();

// Returns the seconds since a moment that is fixed within a process.
double host_seconds();

// On simulated GPUs, selects whether operations move their bytes or only pass their time. No effect on real ones.
void move_simulated_bytes(bool on);

// Advances the virtual clock by work that the host did itself; on a real GPU the real clock has advanced already.
void pass_host_seconds(double seconds);

// Work of the CPU itself. With real GPUs it just runs; with simulated GPUs its time is added to the virtual clock, and
// while only the clock counts the work is not done.
bool gpus_are_simulated();
bool only_the_clock_counts();

// Reports that the CPU has touched these bytes: managed memory among them has moved to the host, which takes simulated
// time too.
void host_touched(const std::byte* from, std::size_t bytes);

// The copy rates of a simulated host: of one thread, and of all threads together.
inline constexpr double simulated_thread_bytes_per_second = 10e9;
inline constexpr double simulated_host_bytes_per_second = 80e9;

// Returns the number of threads to use if none is given: those that can run at once, at most `most`. With simulated
// GPUs it is the same on every machine.
std::size_t chosen_threads(std::size_t most);

// Returns this copy as one of `threads` threads performs it; on a simulated GPU it advances the virtual clock.
CopyPart as_one_of(std::size_t threads, const CopyPart& copy);

// Does work whose time nothing simulates, such as reading a file: on a simulated GPU, it advances the virtual clock by
// the time that it really took. What several threads do at the same time counts once.
void in_real_time(const std::function<void()>& work);

}  // namespace tocuda
