// tocuda, Apache-2.0.
#pragma once

#include <string>
#include <vector>

#include "model/summary.hpp"
#include "terminal/paper.hpp"

namespace tocuda {

// A row for each; empty where there is none.
std::string tax_table(const std::vector<FrameworkTax>& taxes, const Paper& paper);

}  // namespace tocuda
