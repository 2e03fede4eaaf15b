// tocuda, Apache-2.0.
// Medians, quantiles, the median absolute deviation and the trimmed mean. Of no values, or of one that is not a number,
// there is no median: that throws.
#pragma once

#include <span>

namespace tocuda {

double median(std::span<const double> values);  // of an even number: the middle of the two in the middle
double quantile(std::span<const double> values, double part);  // part in [0, 1]; between two values it goes straight
double median_absolute_deviation(std::span<const double> values);  // unscaled: times 1.4826 it estimates a normal spread

// The mean without the tenth of the values that is smallest and the tenth that is largest, and its error (Yuen): a few
// values far out move neither.
struct TrimmedMean {
    double mean = 0;
    double error = 0;    // standard error; 0 where there is no freedom
    double freedom = 0;  // of Student's t that (mean - true one) / error follows nearly
};
TrimmedMean trimmed_mean(std::span<const double> values);  // of no values: zeros

}  // namespace tocuda
