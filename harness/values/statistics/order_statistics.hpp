// tocuda, Apache-2.0.
// Medians, quantiles and the trimmed mean. A median of no values or of NaN throws.
#pragma once

#include <optional>
#include <span>

namespace tocuda {

double median(std::span<const double> values);  // of an even number of values: the mean of the two in the middle
double quantile(std::span<const double> values, double part);  // part in [0, 1]; linear between two values

// The mean without the smallest and the largest tenth of the values, and its error (Yuen): a few outliers move neither.
struct TrimmedMean {
    double mean = 0;
    double error = 0;    // standard error; 0 without degrees of freedom
    double freedom = 0;  // of the Student's t that (mean - true mean) / error approximately follows
};
TrimmedMean trimmed_mean(std::span<const double> values);  // of no values: zeros

struct MedianInterval {
    double low = 0;
    double high = 0;
    double level = 0;  // the true level, at least the requested one

    // Half the interval relative to the median: the stopping criterion of a measurement.
    double relative_half_width(double median) const { return (high - low) / 2 / median; }
};

// From the k-th smallest to the k-th largest value, with k as large as the level allows. At 95 % six values are the
// fewest whose range covers the median often enough (96.9 %); fewer give nullopt.
std::optional<MedianInterval> median_interval(std::span<const double> values, double level = 0.95);

}  // namespace tocuda
