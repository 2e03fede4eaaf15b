// tocuda, Apache-2.0.
// What this process counts for `tocuda simulate`.
#pragma once

#include "model/simulated/counts.hpp"

namespace tocuda::simulator {

// In the folder that TOCUDA_COUNTS names; otherwise in memory of this process alone.
SharedCounts& counts();

}  // namespace tocuda::simulator
