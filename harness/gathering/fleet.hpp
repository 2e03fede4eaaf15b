// tocuda, Apache-2.0.
// Every GPU of a fleet against its equals, row by row. Pure, and the same for any order of files.
#pragma once

#include <span>

#include "gathering/gathering.hpp"
#include "model/fleet_report.hpp"

namespace tocuda {

FleetReport judge_fleet(const RowNames& names, std::span<const GatheredSection> sections);

}  // namespace tocuda
