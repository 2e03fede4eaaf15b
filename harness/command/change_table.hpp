// tocuda, Apache-2.0.
// The table of `compare`: what most deserves a look first, and why nothing firmer can be said of the rest, with what would decide it.
#pragma once

#include <string>

#include "command/paper.hpp"
#include "model/change_report.hpp"

namespace tocuda {

// `all`: rows that are the same, and all of the undecided.
std::string change_table(const ChangeReport& report, bool all, const Paper& paper);

}  // namespace tocuda
