// tocuda, Apache-2.0.
// Waiting for a child that is asked one thing, and saying so where it takes long.
#pragma once

#include <string>

#include "process/supervisor.hpp"

namespace tocuda {

// How long the driver may take to say what it has: where nothing keeps it awake it starts each GPU anew, which takes 1
// to 3 s for each.
inline constexpr double probe_seconds = 120;

// Until all children of the supervisor have ended. `what` says it: "waiting for the driver".
void wait_for_end(Supervisor& supervisor, const std::string& what);

}  // namespace tocuda
