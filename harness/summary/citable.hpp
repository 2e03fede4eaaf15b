// tocuda, Apache-2.0.
// Decides whether a row may be cited. `cite` refuses rows by it, and `verify` reports whether a file has any citable
// row. Pure.
#pragma once

#include <string>
#include <vector>

#include "model/machine.hpp"
#include "model/row.hpp"
#include "model/summary.hpp"

namespace tocuda {

inline constexpr int cited_processes_min = 6;  // fewer give no interval at 95 %

// Returns every reason why this row of this section must not be cited; empty if it may be. `problems`: what verifying
// the section's bytes found.
std::vector<std::string> why_not_citable(const RunLine& run, const RowSummary& row,
                                         const std::vector<std::string>& problems);
// The same for a row of a scenario.
std::vector<std::string> why_not_citable(const RunLine& run, const Row& row, const std::vector<std::string>& problems);

// Real LibTorch and the real CUDA runtime met a fake driver: what they say then, they say on any machine.
bool only_the_driver_is_fake(const Evidence& evidence);

}  // namespace tocuda
