// tocuda, Apache-2.0.
// The instruments of a worker with a GPU behind it: the current device of the CUDA runtime.
#pragma once

#include <functional>
#include <memory>

#include "measurement/gpu/device_clock.hpp"
#include "measurement/instruments.hpp"

namespace tocuda {

// Made once the process has its place, since it takes memory of host and device.
using TakeDeviceClock = std::function<std::unique_ptr<DeviceClock>()>;

// Of the current device. Without a device clock every benchmark must be timed by the host's.
std::unique_ptr<Instruments> cuda_instruments(const TakeDeviceClock& take);

}  // namespace tocuda
