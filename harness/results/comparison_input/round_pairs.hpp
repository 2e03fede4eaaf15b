// tocuda, Apache-2.0.
// Pairs what two builds measured of one row in turns, round by round. Pure.
#pragma once

#include <span>

#include "comparison_rules/paired_comparison.hpp"
#include "model/measurement.hpp"

namespace tocuda {

// Uses only rounds in which both sides have a process that counts. A wrong result, or a status other than ok, on either
// side makes the row invalid.
PairedRow pair_rounds(std::span<const MeasurementRow* const> before, std::span<const MeasurementRow* const> after);

}  // namespace tocuda
