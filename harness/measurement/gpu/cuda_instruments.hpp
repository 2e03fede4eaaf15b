// tocuda, Apache-2.0.
// The instruments of a worker with a GPU: the current device of the CUDA runtime.
#pragma once

#include <functional>
#include <memory>

#include "measurement/gpu/device_clock.hpp"
#include "measurement/instruments.hpp"

namespace tocuda {

// Called once the process is bound to its NUMA node, because it allocates memory of host and device.
using TakeDeviceClock = std::function<std::unique_ptr<DeviceClock>()>;

// For the current device. Without a device clock, every benchmark must use the host's clock.
std::unique_ptr<Instruments> cuda_instruments(const TakeDeviceClock& take);

}  // namespace tocuda
