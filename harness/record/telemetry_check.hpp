// tocuda, Apache-2.0.
// Finds impossible values in telemetry readings.
#pragma once

#include <string>
#include <vector>

#include "model/machine.hpp"

namespace tocuda {

// `gpu`: the GPU that was read; nullptr if unknown.
std::vector<std::string> wrong_with_telemetry(const Samples& samples, const Gpu* gpu);

}  // namespace tocuda
