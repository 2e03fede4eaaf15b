// tocuda, Apache-2.0.
// Medians of starts, their pooled spread, and the order of the starts.
#include "comparison/row_estimate.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "comparison/start_spread.hpp"
#include "statistics/distributions.hpp"
#include "statistics/order_statistics.hpp"

namespace tocuda {
namespace {

bool is_time(double seconds) { return seconds > 0 && std::isfinite(seconds); }

bool has_wrong_time(std::span<const Start> starts) {
    return std::any_of(starts.begin(), starts.end(), [](const Start& start) {
        return !std::all_of(start.process_medians.begin(), start.process_medians.end(), is_time);
    });
}

std::string why_invalid(const ComparedRow& row) {
    if (!row.invalid.empty()) return row.invalid;
    if (has_wrong_time(row.before)) return "a time on the old side is no time";
    if (has_wrong_time(row.after)) return "a time on the new side is no time";
    if (std::any_of(row.history.groups.begin(), row.history.groups.end(), [](const auto& group) { return has_wrong_time(group); }))
        return "a time in the history is no time";
    return {};
}

int processes_of(std::span<const Start> starts) {
    std::size_t processes = 0;
    for (const auto& start : starts) processes += start.process_medians.size();
    return static_cast<int>(processes);
}

// Where the differences of all pairs of an old and a new start lie but for as many on either side as 5 % of chance would leave there (Mann and
// Whitney, Hodges and Lehmann): of 3 against 3 starts, none.
LogRange by_ranks(std::span<const double> before, std::span<const double> after) {
    std::vector<double> differences;
    differences.reserve(before.size() * after.size());
    for (const double old_value : before)
        for (const double new_value : after) differences.push_back(new_value - old_value);
    std::sort(differences.begin(), differences.end());
    const auto pairs = static_cast<double>(differences.size());
    const double deviation = std::sqrt(pairs * static_cast<double>(before.size() + after.size() + 1) / 12);
    constexpr double five_percent = 1.6448536269514722;
    const auto left_out = static_cast<std::size_t>(std::max(0.0, std::floor(pairs / 2 + 0.5 - five_percent * deviation) - 1));
    return {differences[left_out], differences[differences.size() - 1 - left_out]};
}

}  // namespace

bool RowEstimate::has_enough(const ComparisonRules& rules) const {
    return has_interval() && starts_before >= rules.starts_min && starts_after >= rules.starts_min && freedom >= rules.freedom_min;
}

double RowEstimate::error() const {
    return spread * std::sqrt(median_variance(static_cast<std::size_t>(starts_before)) + median_variance(static_cast<std::size_t>(starts_after)));
}

double RowEstimate::error_with(int starts) const {
    auto with = *this;
    with.starts_before = std::max(starts, starts_before);
    with.starts_after = std::max(starts, starts_after);
    return with.error();
}

RowEstimate estimate(const ComparedRow& row) {
    RowEstimate result;
    result.invalid = why_invalid(row);
    result.processes_before = processes_of(row.before);
    result.processes_after = processes_of(row.after);
    if (!result.invalid.empty()) return result;
    std::vector<std::vector<double>> groups;
    for (const auto& group : row.history.groups) groups.push_back(values_of(group));
    auto before = values_of(row.before);
    auto after = values_of(row.after);
    result.starts_before = static_cast<int>(before.size());
    result.starts_after = static_cast<int>(after.size());
    if (!before.empty() && !after.empty()) {
        result.change = median(after) - median(before);
        result.ranks = by_ranks(before, after);
    }
    const auto block = std::min(before.size(), after.size());
    groups.push_back(std::move(before));
    groups.push_back(std::move(after));
    result.least_margin = largest_step(groups, block);
    const auto spread = pooled(std::move(groups));
    result.freedom = spread.freedom;
    result.spread = spread.deviation();
    return result;
}

double probability_of(const RowEstimate& estimate) {
    if (estimate.ranks.low - estimate.spread <= 0 && estimate.ranks.high + estimate.spread >= 0) return 1;
    const double error = estimate.error();
    if (!(error > 0)) return estimate.change == 0 ? 1 : 0;
    return 2 * student_cumulative(-std::abs(estimate.change) / error, estimate.freedom);
}

LogRange interval_of(const RowEstimate& estimate, double level) {
    const double half = student_quantile(1 - level / 2, estimate.freedom) * estimate.error();
    return {std::min(estimate.change - half, estimate.ranks.low - estimate.spread), std::max(estimate.change + half, estimate.ranks.high + estimate.spread)};
}

double log_detectable(const RowEstimate& estimate, double level, double power, double margin) {
    const auto interval = interval_of(estimate, level);
    const double called_from = std::max({margin, estimate.change - interval.low, interval.high - estimate.change});
    // The spread may have been seen too small: what is larger in 9 of 10 cases stands for it.
    const double spread_at_most = std::sqrt(estimate.freedom / chi_squared_quantile(0.1, estimate.freedom));
    return called_from + normal_quantile(power) * spread_at_most * estimate.error();
}

}  // namespace tocuda
