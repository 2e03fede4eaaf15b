// tocuda, Apache-2.0.
// Sums are taken in ascending order, so that they do not depend on the order of what is given.
#include "comparison/start_spread.hpp"

#include <algorithm>
#include <cmath>

#include "statistics/order_statistics.hpp"

namespace tocuda {

std::optional<double> value_of(const Start& start) {
    if (start.process_medians.empty()) return std::nullopt;
    std::vector<double> logarithms;
    logarithms.reserve(start.process_medians.size());
    for (const double seconds : start.process_medians) logarithms.push_back(std::log(seconds));
    return median(logarithms);
}

std::vector<double> values_of(std::span<const Start> starts) {
    std::vector<double> values;
    values.reserve(starts.size());
    for (const auto& start : starts)
        if (const auto value = value_of(start)) values.push_back(*value);
    return values;
}

double Spread::deviation() const { return freedom > 0 ? std::sqrt(squares / freedom) : 0; }

Spread pooled(std::vector<std::vector<double>> groups) {
    std::vector<double> squares;
    Spread spread;
    for (auto& group : groups) {
        if (group.size() < 2) continue;
        std::sort(group.begin(), group.end());
        double mean = 0;
        for (const double value : group) mean += value - group.front();
        mean = group.front() + mean / static_cast<double>(group.size());
        double sum = 0;
        for (const double value : group) sum += (value - mean) * (value - mean);
        squares.push_back(sum);
        spread.freedom += static_cast<int>(group.size()) - 1;
    }
    std::sort(squares.begin(), squares.end());
    for (const double sum : squares) spread.squares += sum;
    return spread;
}

double largest_step(std::span<const std::vector<double>> groups, std::size_t block) {
    if (block == 0) return 0;
    double largest = 0;
    for (const auto& group : groups)
        for (std::size_t first = 0; first + 2 * block <= group.size(); ++first) {
            const std::span<const double> both(group.data() + first, 2 * block);
            largest = std::max(largest, std::abs(median(both.first(block)) - median(both.last(block))));
        }
    return largest;
}

double median_variance(std::size_t count) { return 1 / static_cast<double>(count / 2 + 1); }

}  // namespace tocuda
