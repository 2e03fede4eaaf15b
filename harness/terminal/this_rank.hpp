// tocuda, Apache-2.0.
// The rank of this process, if a launcher started it.
#pragma once

#include <optional>

#include "machine/fleet_place.hpp"

namespace tocuda {

Variables variables_of_this_process();
std::optional<Fleet> this_rank();

// Whether this process prints results: rank 0 does for all ranks; the others only warn, and name their file.
bool speaks();

}  // namespace tocuda
