// tocuda, Apache-2.0.
#include "comparison_rules/together.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "comparison_rules/row_estimate.hpp"
#include "statistics/order_statistics.hpp"

namespace tocuda {
namespace {

using Side = std::vector<Start> ComparedRow::*;

std::vector<Start> side_together(std::span<const ComparedRow> gpus, Side side, std::span<const double> levels) {
    std::vector<std::vector<Start>> starts;
    for (const auto& one : gpus) starts.push_back(one.*side);
    return together(starts, levels);
}

// The variance of a side's value relative to that of a process: the median of its starts, each the median of its GPUs,
// each the median of its processes.
double side_variance(std::span<const ComparedRow> gpus, Side side) {
    std::map<std::uint32_t, std::pair<int, double>> starts;  // by place: GPUs, and the sum of their variances
    for (const auto& one : gpus)
        for (const auto& start : one.*side) {
            if (start.process_medians.empty()) continue;
            auto& [count, sum] = starts[start.place];
            ++count;
            sum += median_variance(start.process_medians.size());
        }
    double sum = 0;
    for (const auto& [place, start] : starts)
        sum += median_variance(static_cast<std::size_t>(start.first)) * start.second / start.first;
    const auto count = starts.size();
    return count == 0 ? 0 : median_variance(count) * sum / static_cast<double>(count);
}

}  // namespace

std::optional<double> level_of(std::span<const Start> starts) {
    const auto values = values_of(starts);
    return values.empty() ? std::nullopt : std::optional(median(values));
}

std::vector<Start> together(std::span<const std::vector<Start>> gpus, std::span<const double> levels) {
    const double common = median(levels);
    std::map<std::uint32_t, Start> starts;  // by place
    for (std::size_t gpu = 0; gpu < gpus.size(); ++gpu)
        for (const auto& start : gpus[gpu]) {
            const auto value = value_of(start);
            if (!value) continue;
            auto& all = starts[start.place];
            if (all.processes == 0) all = {.name = start.name, .place = start.place, .load = start.load};
            all.process_medians.push_back(std::exp(common + (*value - levels[gpu])));
            all.processes += processes_of(start);
        }
    std::vector<Start> result;
    for (auto& [place, start] : starts) result.push_back(std::move(start));
    return result;
}

ComparedRow together(std::span<const ComparedRow> gpus) {
    std::vector<double> levels;
    for (const auto& one : gpus) levels.push_back(level_of(one.before).value_or(0));
    auto row = gpus.front();
    row.gpu.clear();
    row.peer.clear();
    row.history = {};
    row.gpus = static_cast<int>(gpus.size());
    row.before = side_together(gpus, &ComparedRow::before, levels);
    row.after = side_together(gpus, &ComparedRow::after, levels);
    row.process_noise = process_noise(gpus);
    return row;
}

ProcessNoise process_noise(std::span<const ComparedRow> gpus) {
    std::vector<std::vector<double>> groups;
    for (const auto& one : gpus)
        for (const auto* side : {&one.before, &one.after})
            for (const auto& start : *side) {
                if (start.process_medians.size() < 2) continue;
                auto& group = groups.emplace_back();
                for (const double seconds : start.process_medians) group.push_back(std::log(seconds));
            }
    const auto spread = pooled(std::move(groups));
    const double variance = side_variance(gpus, &ComparedRow::before) + side_variance(gpus, &ComparedRow::after);
    return {spread.deviation() * std::sqrt(variance), spread.freedom};
}

}  // namespace tocuda
