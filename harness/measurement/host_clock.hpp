// tocuda, Apache-2.0.
// The host's clock: the steady clock, or the virtual clock if GPUs are simulated.
#pragma once

#include <optional>

namespace tocuda {

// Returns the virtual time of the simulated runtime in this process; nullopt if there is none.
std::optional<double> virtual_seconds();

// Returns the seconds since a moment that is fixed within a process.
double host_seconds();

}  // namespace tocuda
