// tocuda, Apache-2.0.
// A confidence interval of a median from the values' order alone: nothing is assumed of how they are distributed, but that they are
// independent. Its ends are values that were seen; nothing is put between them, so that the level is at least the one asked for.
#pragma once

#include <optional>
#include <span>

namespace tocuda {

struct MedianInterval {
    double low = 0;
    double high = 0;
    double level = 0;  // the true one, at least that asked for

    // Half of it, as a part of the median: what a measurement is stopped by.
    double relative_half_width(double median) const { return (high - low) / 2 / median; }
};

// The k-th smallest to the k-th largest, k as large as the level allows. At 95 % the range of 6 values is the first that covers the
// median often enough (96.9 %); fewer give none.
std::optional<MedianInterval> median_interval(std::span<const double> values, double level = 0.95);

}  // namespace tocuda
