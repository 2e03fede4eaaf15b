// tocuda, Apache-2.0.
// What stands in the way of quoting a number: pure. `cite` refuses by it, and `verify` says by it whether anything in a
// file may be quoted.
#pragma once

#include <string>
#include <vector>

#include "model/machine.hpp"
#include "model/summary.hpp"

namespace tocuda {

inline constexpr int cited_processes_min = 6;  // fewer give no interval at 95 %

// Every reason why this row of this section is not to be quoted; none where it may be. `problems`: what verifying the
// section's bytes has found.
std::vector<std::string> why_not_citable(const RunLine& run, const RowSummary& row,
                                         const std::vector<std::string>& problems);

}  // namespace tocuda
