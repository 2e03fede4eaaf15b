// tocuda, Apache-2.0.
// Which rank this process is, where a launcher started it.
#pragma once

#include <optional>

#include "machine/fleet_place.hpp"

namespace tocuda {

Variables variables_of_this_process();
std::optional<Fleet> this_rank();

// Rank 0 speaks for all of them; the others complain, and say where they wrote to.
bool speaks();

}  // namespace tocuda
