// tocuda, Apache-2.0.
// From times to their logarithms and back.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace tocuda {

// What has a logarithm.
inline bool is_time(double seconds) { return seconds > 0 && std::isfinite(seconds); }

// A difference of logarithms as new / old - 1. What is too large for a number stays one.
inline double as_part(double logarithm) { return std::min(std::expm1(logarithm), std::numeric_limits<double>::max()); }

}  // namespace tocuda
