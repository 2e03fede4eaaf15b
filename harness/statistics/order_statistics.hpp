// tocuda, Apache-2.0.
// Medians, quantiles and the median absolute deviation. Of no values, or of one that is no number, there are none: that throws.
#pragma once

#include <span>

namespace tocuda {

double median(std::span<const double> values);  // of an even number: the middle of the two in the middle
double quantile(std::span<const double> values, double part);  // part in [0, 1]; between two values it goes straight
double median_absolute_deviation(std::span<const double> values);  // unscaled: times 1.4826 it estimates a normal spread

}  // namespace tocuda
