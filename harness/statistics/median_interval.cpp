// tocuda, Apache-2.0.
#include "statistics/median_interval.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "statistics/distributions.hpp"

namespace tocuda {
namespace {

// Returns the probability that the median lies between the k-th smallest and the k-th largest of n values: that at
// least k values fall on either side.
double true_level(int k, int n) { return 1 - 2 * fair_coins_cumulative(k - 1, n); }

}  // namespace

std::optional<MedianInterval> median_interval(std::span<const double> values, double level) {
    if (!(level > 0 && level < 1)) throw std::invalid_argument("a level must lie between 0 and 1");
    const int n = static_cast<int>(values.size());
    if (n < 2 || true_level(1, n) < level) return std::nullopt;
    if (std::any_of(values.begin(), values.end(), [](double value) { return std::isnan(value); }))
        throw std::invalid_argument("NaN has no order");
    int k = 1;
    while (2 * (k + 1) <= n && true_level(k + 1, n) >= level) ++k;
    std::vector<double> ordered(values.begin(), values.end());
    std::sort(ordered.begin(), ordered.end());
    return MedianInterval{ordered[static_cast<std::size_t>(k - 1)], ordered[static_cast<std::size_t>(n - k)],
                          true_level(k, n)};
}

}  // namespace tocuda
