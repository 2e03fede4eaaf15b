// tocuda, Apache-2.0.
// Medians, quantiles, the median absolute deviation and the trimmed mean. A median of no values or of NaN throws.
#pragma once

#include <span>

namespace tocuda {

double median(std::span<const double> values);  // of an even number of values: the mean of the two in the middle
double quantile(std::span<const double> values, double part);  // part in [0, 1]; linear between two values
double median_absolute_deviation(
    std::span<const double> values);  // unscaled: times 1.4826 it estimates a normal spread

// The mean without the smallest and the largest tenth of the values, and its error (Yuen): a few outliers move neither.
struct TrimmedMean {
    double mean = 0;
    double error = 0;    // standard error; 0 without degrees of freedom
    double freedom = 0;  // of the Student's t that (mean - true mean) / error approximately follows
};
TrimmedMean trimmed_mean(std::span<const double> values);  // of no values: zeros

}  // namespace tocuda
