// tocuda, Apache-2.0.
// Checks a row's device against its stand_in list.
#pragma once

#include <string>
#include <vector>

#include "model/row.hpp"

namespace tocuda {

// Returns what is wrong, or "": a real device excludes a simulated GPU or a fake driver.
std::string wrong_with_device(Device device, const std::vector<std::string>& stand_in);

}  // namespace tocuda
