// tocuda, Apache-2.0.
#include "statistics/order_statistics.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "statistics/distributions.hpp"

namespace tocuda {
namespace {

std::vector<double> sorted(std::span<const double> values) {
    if (values.empty()) throw std::invalid_argument("no values: there is no median");
    if (std::any_of(values.begin(), values.end(), [](double value) { return std::isnan(value); }))
        throw std::invalid_argument("NaN has no order");
    std::vector<double> copy(values.begin(), values.end());
    std::sort(copy.begin(), copy.end());
    return copy;
}

// Returns the probability that the median lies between the k-th smallest and the k-th largest of n values: that at
// least k values fall on either side.
double true_level(int k, int n) { return 1 - 2 * fair_coins_cumulative(k - 1, n); }

}  // namespace

double median(std::span<const double> values) { return quantile(values, 0.5); }

double quantile(std::span<const double> values, double part) {
    if (!(part >= 0 && part <= 1))
        throw std::invalid_argument("the probability of a quantile must lie between 0 and 1");
    const auto ordered = sorted(values);
    const double place = part * static_cast<double>(ordered.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const auto above = std::min(below + 1, ordered.size() - 1);
    const double rest = place - static_cast<double>(below);
    return rest > 0 ? ordered[below] + (ordered[above] - ordered[below]) * rest : ordered[below];
}

TrimmedMean trimmed_mean(std::span<const double> values) {
    // The error is computed from the values with the trimmed ones replaced by the nearest counted value.
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
