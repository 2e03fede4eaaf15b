// tocuda, Apache-2.0.
// A confidence interval of a median from order statistics: it assumes only that the values are independent. Its ends
// are observed values, without interpolation, so that the level is at least the requested one.
#pragma once

#include <optional>
#include <span>

namespace tocuda {

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
