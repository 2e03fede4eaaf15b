// tocuda, Apache-2.0.
// Sums are taken in ascending order, so that they do not depend on the order of the input.
#include "comparison/start_spread.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "comparison/log_scale.hpp"
#include "statistics/order_statistics.hpp"

namespace tocuda {

bool has_wrong_time(std::span<const Start> starts) {
    return std::any_of(starts.begin(), starts.end(), [](const Start& start) {
        return !std::all_of(start.process_medians.begin(), start.process_medians.end(), is_time);
    });
}

bool has_wrong_time(const History& history) {
    return std::any_of(history.groups.begin(), history.groups.end(),
                       [](const auto& group) { return has_wrong_time(group); });
}

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

double StartSpread::deviation() const { return freedom > 0 ? std::sqrt(squares / freedom) : 0; }

StartSpread pooled(std::vector<std::vector<double>> groups) {
    std::vector<double> squares;
    StartSpread spread;
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

double usual_stray(std::span<const std::vector<double>> groups, double part) {
    std::vector<double> distances;
    for (const auto& group : groups) {
        if (group.size() < 2) continue;
        const double middle = median(group);
        for (const double value : group) distances.push_back(std::abs(value - middle));
    }
    if (distances.empty()) return 0;
    const auto farther = std::max(1.0, std::floor(part * static_cast<double>(distances.size())));
    const auto place =
        distances.begin() + static_cast<std::ptrdiff_t>(distances.size() - static_cast<std::size_t>(farther));
    std::nth_element(distances.begin(), place, distances.end());
    return *place;
}

double median_variance(std::size_t count) {
    // Integrals of order statistics, to four places; for more values the limit, which they approach from below.
    constexpr std::array exact{1.0, 1.0, 0.5, 0.4487, 0.2982, 0.2868, 0.2147, 0.2104, 0.1682, 0.1661, 0.1383};
    return count < exact.size() ? exact[count] : std::numbers::pi / 2 / static_cast<double>(count);
}

}  // namespace tocuda
