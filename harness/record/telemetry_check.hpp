// tocuda, Apache-2.0.
// What of a reading of a GPU's state cannot be.
#pragma once

#include <string>
#include <vector>

#include "model/machine.hpp"

namespace tocuda {

// `gpu` is the one that was read, where it is known.
std::vector<std::string> wrong_with_telemetry(const Samples& samples, const Gpu* gpu);

}  // namespace tocuda
