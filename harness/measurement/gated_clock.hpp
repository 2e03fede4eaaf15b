// tocuda, Apache-2.0.
// The device clock behind a gate: a kernel holds the stream until the whole batch is queued. It is compiled with the
// kernels.
#pragma once

#include <memory>

#include "measurement/gpu/device_clock.hpp"

namespace tocuda {

std::unique_ptr<DeviceClock> gated_clock();

}  // namespace tocuda
