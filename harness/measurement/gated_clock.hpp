// tocuda, Apache-2.0.
// A device clock with a gate: a kernel that holds the stream until the whole batch is queued. Compiled with the
// kernels.
#pragma once

#include <memory>

#include "measurement/gpu/device_clock.hpp"

namespace tocuda {

std::unique_ptr<DeviceClock> gated_clock();

}  // namespace tocuda
