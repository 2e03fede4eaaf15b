// tocuda, Apache-2.0.
// Finds impossible values in a scenario's row.
#pragma once

#include <string>
#include <vector>

#include "model/row.hpp"

namespace tocuda {

std::vector<std::string> wrong_with_scenario(const Row& row);

}  // namespace tocuda
