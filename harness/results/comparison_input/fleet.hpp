// tocuda, Apache-2.0.
// Compares every GPU of a fleet with its peers, row by row. Pure, and independent of the order of files.
#pragma once

#include <span>

#include "comparison_input/gathering.hpp"
#include "model/change_report.hpp"

namespace tocuda {

FleetReport judge_fleet(const RowNames& names, std::span<const GatheredSection> sections);

}  // namespace tocuda
