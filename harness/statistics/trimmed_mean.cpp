// tocuda, Apache-2.0.
// The error comes from the values with the outer ones drawn in to the last that counts.
#include "statistics/trimmed_mean.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace tocuda {

TrimmedMean trimmed_mean(std::span<const double> values) {
    TrimmedMean result;
    if (values.empty()) return result;
    std::vector<double> sorted(values.begin(), values.end());
    std::sort(sorted.begin(), sorted.end());
    const auto cut = sorted.size() / 10;
    const auto counted = static_cast<double>(sorted.size() - 2 * cut);
    const auto first = sorted.begin() + static_cast<std::ptrdiff_t>(cut);
    const auto last = sorted.end() - static_cast<std::ptrdiff_t>(cut) - 1;
    for (auto value = first; value <= last; ++value) result.mean += *value - *first;
    result.mean = *first + result.mean / counted;
    result.freedom = counted - 1;
    if (counted < 2) return result;
    const double low = *first;
    const double high = *last;
    const auto all = static_cast<double>(sorted.size());
    double mean = 0;
    for (double& value : sorted) mean += (value = std::clamp(value, low, high)) - low;
    mean = low + mean / all;
    double squares = 0;
    for (const double value : sorted) squares += (value - mean) * (value - mean);
    result.error = std::sqrt(squares / (counted * (counted - 1)));
    return result;
}

}  // namespace tocuda
