// tocuda, Apache-2.0.
// The version and commit of this tocuda.
#pragma once

#include <vector>

#include "model/machine.hpp"

namespace tocuda {

// Unknown fields are recorded in `unavailable`.
Suite this_suite(std::vector<Unavailable>& unavailable);

}  // namespace tocuda
