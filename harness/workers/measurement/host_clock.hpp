// tocuda, Apache-2.0.
// The host's clock: the steady clock, or the virtual clock of simulated GPUs, which can be controlled.
#pragma once

#include <optional>

namespace tocuda {

// Returns the virtual time of the simulated runtime in this process; nullopt if there is none.
std::optional<double> virtual_seconds();

// Returns the seconds since a moment that is fixed within a process.
double host_seconds();

// On simulated GPUs, selects whether operations move their bytes or only pass their time. No effect on real ones.
void move_simulated_bytes(bool on);

// Advances the virtual clock by work that the host did itself; on a real GPU the real clock has advanced already.
void pass_host_seconds(double seconds);

}  // namespace tocuda
