// tocuda, Apache-2.0.
// Converts times to logarithms and back.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace tocuda {

// Returns whether a time is positive and finite, and so has a logarithm.
inline bool is_time(double seconds) { return seconds > 0 && std::isfinite(seconds); }

// Converts a difference of logarithms to new / old - 1, limited to the largest finite number.
inline double as_part(double logarithm) { return std::min(std::expm1(logarithm), std::numeric_limits<double>::max()); }

}  // namespace tocuda
