// tocuda, Apache-2.0.
// What two sides measured of one row in turns, paired round by round. Pure.
#pragma once

#include <span>

#include "comparison/paired_comparison.hpp"
#include "model/measurement.hpp"

namespace tocuda {

// Only rounds in which both sides have a process that counts. A wrong result on either side, or a side that is not ok, makes the row invalid.
PairedRow pair_rounds(std::span<const MeasurementRow* const> before, std::span<const MeasurementRow* const> after);

}  // namespace tocuda
