// tocuda, Apache-2.0.
// Medians of starts, their pooled spread, and the deviations of single starts.
#include "comparison_rules/row_estimate.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>

#include "comparison_rules/hosts.hpp"
#include "comparison_rules/log_scale.hpp"
#include "comparison_rules/together.hpp"
#include "statistics/distributions.hpp"
#include "statistics/order_statistics.hpp"

namespace tocuda {
namespace {

std::string why_invalid(const ComparedRow& row) {
    if (!row.invalid.empty()) return row.invalid;
    if (has_wrong_time(row.before)) return "a time on the old side is not positive and finite";
    if (has_wrong_time(row.after)) return "a time on the new side is not positive and finite";
    if (has_wrong_time(row.history)) return "a time in the history is not positive and finite";
    return {};
}

int processes_of(std::span<const Start> starts) {
    int processes = 0;
    for (const auto& start : starts) processes += processes_of(start);
    return processes;
}

double mean(std::span<const double> values) {
    double sum = 0;
    for (const double value : values) sum += value - values.front();
    return values.front() + sum / static_cast<double>(values.size());
}

// Returns the part of all starts so rare that a whole side consists of them in one comparison of 10,000.
double all_stray_together(std::size_t starts) {
    return starts == 0 ? 0 : std::pow(1e-4, 1 / static_cast<double>(starts));
}

// Sessions of one boot and driver load are one value.
std::vector<double> values_by_load(std::span<const Start> starts) {
    std::map<std::uint32_t, std::vector<double>> loads;
    for (const auto& start : starts)
        if (const auto value = value_of(start)) loads[start.load].push_back(*value);
    std::vector<double> values;
    values.reserve(loads.size());
    for (const auto& [load, of_load] : loads) values.push_back(median(of_load));
    return values;
}

// The noise of starts as it is assumed, or recorded: of this machine if it has enough of it, else of enough machines.
void add_noise(const ComparedRow& row, std::vector<double> before, std::vector<double> after,
               const ComparisonRules& rules, RowEstimate& result) {
    result.assumption_unused = row.assumed_noise && !can_assume(result.process_noise);
    if (row.assumed_noise && !result.assumption_unused) {
        result.noise = StartNoise{*row.assumed_noise, 0, "assumed"};
        return;
    }
    const auto own = row.history.groups.size() - std::min(row.history.groups.size(), row.history.borrowed);
    std::vector<std::vector<double>> groups;
    for (std::size_t i = 0; i < own; ++i) groups.push_back(values_by_load(row.history.groups[i]));
    groups.push_back(std::move(before));
    groups.push_back(std::move(after));
    result.loads = pooled(groups);
    result.noise_freedom = result.loads.freedom;
    const auto* which = row.gpus > 1      ? "recorded of these GPUs"
                        : row.two_gpus    ? "recorded of both GPUs"
                        : row.gpu.empty() ? "recorded here"
                                          : "recorded of this GPU";
    result.noise = recorded(result.loads, which, rules);
    if (result.noise || row.history.machines < rules.machines_min) return;
    for (auto i = own; i < row.history.groups.size(); ++i) groups.push_back(values_by_load(row.history.groups[i]));
    const auto all = pooled(std::move(groups));
    result.noise_freedom = all.freedom;
    result.noise = recorded(all, fmt::format("recorded of {} machines like this", row.history.machines), rules);
}

// Of other machines only if this one is alone: in a fleet they have rows of their own.
std::vector<StartSeries> series_of(const ComparedRow& row) {
    std::vector<StartSeries> series;
    const auto add = [&](int side, std::span<const Start> starts) {
        StartSeries one{.side = side};
        for (const auto& start : starts) {
            const auto value = value_of(start);
            if (!value) continue;
            one.places.push_back(start.place);
            one.values.push_back(*value);
        }
        if (one.values.size() > 1) series.push_back(std::move(one));
    };
    const auto& groups = row.history.groups;
    const auto borrowed = row.is_part ? std::min(groups.size(), row.history.borrowed) : 0;
    for (std::size_t i = 0; i + borrowed < groups.size(); ++i) add(0, groups[i]);
    add(1, row.before);
    add(2, row.after);
    return series;
}

}  // namespace

std::optional<StartNoise> recorded(const StartSpread& spread, const std::string& of, const ComparisonRules& rules) {
    if (spread.freedom < rules.likely_freedom_min) return std::nullopt;
    return StartNoise{spread.deviation(), spread.freedom, of};
}

bool RowEstimate::has_enough(const ComparisonRules& rules) const {
    if (!hosts.empty()) return has_interval() && witnesses() >= rules.hosts_min;
    return has_interval() && starts_before >= rules.starts_min && starts_after >= rules.starts_min &&
           freedom >= rules.freedom_min;
}

double RowEstimate::error() const {
    if (!hosts.empty()) return std::hypot(spread / std::sqrt(static_cast<double>(witnesses())), controls_error);
    return spread * std::sqrt(median_variance(static_cast<std::size_t>(starts_before)) +
                              median_variance(static_cast<std::size_t>(starts_after)));
}

double RowEstimate::error_with(int starts) const {
    auto with = *this;
    with.starts_before = std::max(starts, starts_before);
    with.starts_after = std::max(starts, starts_after);
    return with.error();
}

bool RowEstimate::do_means_agree(double least) const {
    if (!hosts.empty()) return true;
    const auto before = static_cast<std::size_t>(starts_before), after = static_cast<std::size_t>(starts_after);
    const double of_means = 1.0 / starts_before + 1.0 / starts_after;
    const double of_medians = median_variance(before) + median_variance(after);
    return mean_change * change > 0 && std::abs(mean_change) >= least * std::sqrt(of_means / of_medians);
}

RowEstimate estimate(const ComparedRow& row, const ComparisonRules& rules) {
    if (!row.hosts.empty()) return estimate_of_hosts(row, rules);
    RowEstimate result;
    result.invalid = why_invalid(row);
    result.is_part = row.is_part;
    result.in_turns = row.in_turns;
    if (!row.is_part) result.gpu_changes = row.gpu_changes;
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
        result.mean_change = mean(after) - mean(before);
    }
    if (!before.empty() && !after.empty() && !row.is_part) {
        auto loads_before = values_by_load(row.before);
        auto loads_after = values_by_load(row.after);
        result.loads_before = static_cast<int>(loads_before.size());
        result.loads_after = static_cast<int>(loads_after.size());
        result.process_noise = row.process_noise ? *row.process_noise : process_noise(std::span(&row, 1));
        add_noise(row, std::move(loads_before), std::move(loads_after), rules, result);
    }
    result.series = series_of(row);
    const auto block = std::min(before.size(), after.size());
    groups.push_back(std::move(before));
    groups.push_back(std::move(after));
    result.least_margin = largest_step(groups, block);
    result.stray = usual_stray(groups, all_stray_together(block));
    const auto spread = pooled(std::move(groups));
    result.freedom = spread.freedom;
    result.spread = spread.deviation();
    // The largest deviation seen so far is not yet the largest possible. The factor was calibrated (README.md).
    result.stray = 1.5 * result.stray + result.spread;
    return result;
}

double tested_freedom(const RowEstimate& estimate) { return estimate.freedom / 2.0; }

double probability_of(const RowEstimate& estimate) {
    if (std::abs(estimate.change) <= estimate.stray) return 1;
    const double error = estimate.error();
    return error > 0 ? 2 * student_cumulative(-std::abs(estimate.change) / error, tested_freedom(estimate)) : 0;
}

LogRange interval_of(const RowEstimate& estimate, double critical) {
    const double half = std::max(critical * estimate.error(), estimate.stray);
    return {estimate.change - half, estimate.change + half};
}

double log_detectable(const RowEstimate& estimate, double critical, double power, double spread_at_most,
                      double margin) {
    const auto interval = interval_of(estimate, critical);
    return std::max({margin, estimate.change - interval.low, interval.high - estimate.change}) +
           power * spread_at_most * estimate.error();
}

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

int processes_of(const Start& start) {
    return start.processes > 0 ? start.processes : static_cast<int>(start.process_medians.size());
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
