// tocuda, Apache-2.0.
// Which tocuda this is.
#pragma once

#include <vector>

#include "model/machine.hpp"

namespace tocuda {

// What could not be told is named in `unavailable`.
Suite this_suite(std::vector<Unavailable>& unavailable);

}  // namespace tocuda
