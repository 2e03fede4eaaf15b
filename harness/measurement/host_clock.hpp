// tocuda, Apache-2.0.
// The one clock of the host: the steady one, or the virtual one where GPUs are simulated.
#pragma once

#include <optional>

namespace tocuda {

// The virtual time of the simulated runtime in this process; nothing where there is none.
std::optional<double> virtual_seconds();

// Seconds since some moment that stays the same in one process.
double host_seconds();

}  // namespace tocuda
