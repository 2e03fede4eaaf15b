// tocuda, Apache-2.0.
// What of a row's device cannot be.
#pragma once

#include <string>
#include <vector>

#include "model/row.hpp"

namespace tocuda {

// A row's device against what stood in for another, or nothing.
std::string wrong_with_device(Device device, const std::vector<std::string>& stand_in);

}  // namespace tocuda
