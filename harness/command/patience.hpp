// tocuda, Apache-2.0.
// Waiting for a child that is asked one thing, and saying so where it takes long.
#pragma once

#include <string>

#include "process/supervisor.hpp"

namespace tocuda {

// Until all children of the supervisor have ended. `what` says what is waited for: "the driver is asked what it has".
void wait_for_end(Supervisor& supervisor, const std::string& what);

}  // namespace tocuda
