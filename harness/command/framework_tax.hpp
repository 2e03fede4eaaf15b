// tocuda, Apache-2.0.
#pragma once

#include <string>
#include <vector>

#include "command/paper.hpp"
#include "model/summary.hpp"

namespace tocuda {

// A row for each; empty where there is none.
std::string tax_table(const std::vector<FrameworkTax>& taxes, const Paper& paper);

}  // namespace tocuda
