// tocuda, Apache-2.0.
// Percentiles of a few values, and whether the values lie around two places instead of one.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace tocuda {

// The values are sorted and not empty. Percentile 0 is the lowest, 100 the highest, between them the nearest.
inline double percentile_of(const std::vector<double>& sorted, double percentile) {
    const auto last = static_cast<double>(sorted.size() - 1);
    return sorted[static_cast<std::size_t>(std::lround(last * percentile / 100))];
}

// Divides the sorted values where that explains most of their variance (Otsu's method). A normal distribution has 64 %
// of its variance between its halves and a uniform one 75 %, whatever their width. Modes nearer than 2 % do not count,
// nor a few values far from all others.
inline bool have_two_modes(const std::vector<double>& sorted) {
    constexpr double least_explained = 0.85;
    constexpr double least_distance = 0.02;
    constexpr std::size_t least_part = 10;  // a tenth of the values
    const auto count = sorted.size();
    double sum = 0;
    for (const auto each : sorted) sum += each;
    double variance = 0;
    for (const auto each : sorted) variance += std::pow(each - sum / static_cast<double>(count), 2);
    if (!(variance > 0)) return false;
    double low_sum = 0;
    for (std::size_t low = 1; low < count; ++low) {
        low_sum += sorted[low - 1];
        if (std::min(low, count - low) < std::max<std::size_t>(1, count / least_part)) continue;
        const auto below = static_cast<double>(low);
        const auto above = static_cast<double>(count - low);
        const auto near = low_sum / below;
        const auto far = (sum - low_sum) / above;
        const auto between = below * above / static_cast<double>(count) * std::pow(far - near, 2);
        if (between >= least_explained * variance && far - near >= least_distance * near) return true;
    }
    return false;
}

}  // namespace tocuda
