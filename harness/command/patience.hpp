// tocuda, Apache-2.0.
// Waits for children, and prints what is being waited for if that takes long.
#pragma once

#include <string>

#include "process/supervisor.hpp"

namespace tocuda {

// How long the driver may take to list its GPUs. Unless something keeps it loaded, it initialises each GPU anew, which
// takes 1 to 3 s per GPU.
inline constexpr double probe_seconds = 120;

// Returns when all children of the supervisor have ended. `what` is the line to print: "waiting for the driver".
void wait_for_end(Supervisor& supervisor, const std::string& what);

}  // namespace tocuda
