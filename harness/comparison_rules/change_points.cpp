// tocuda, Apache-2.0.
// Binary segmentation by the cumulative sum of ranks; the significance of a step comes from shuffles of the same
// sessions.
#include "comparison_rules/change_points.hpp"

#include <algorithm>
#include <cmath>

#include "comparison_rules/log_scale.hpp"
#include "statistics/order_statistics.hpp"
#include "statistics/random_numbers.hpp"

namespace tocuda {
namespace {

// Ranks about the middle. Equal values share a rank. An outlier counts no more than the outermost session.
std::vector<double> ranks_of(std::span<const double> values) {
    std::vector<double> sorted(values.begin(), values.end());
    std::sort(sorted.begin(), sorted.end());
    std::vector<double> ranks;
    for (const double value : values) {
        const auto [low, high] = std::equal_range(sorted.begin(), sorted.end(), value);
        ranks.push_back(static_cast<double>((low - sorted.begin()) + (high - sorted.begin())) / 2 -
                        static_cast<double>(sorted.size()) / 2);
    }
    return ranks;
}

struct Step {
    std::size_t first = 0;
    double clearness = 0;
};

Step clearest(const std::vector<double>& ranks, std::size_t segment_min) {
    Step best;
    double sum = 0;
    const auto all = ranks.size();
    for (std::size_t first = 1; first + segment_min <= all; ++first) {
        sum += ranks[first - 1];
        if (first < segment_min) continue;
        const double clearness =
            std::abs(sum) / std::sqrt(static_cast<double>(first) * static_cast<double>(all - first));
        if (clearness > best.clearness) best = {first, clearness};
    }
    return best;
}

double probability_of(const Step& step, std::vector<double> ranks, const ChangePointRules& rules) {
    RandomNumbers random(rules.seed, ranks.size());
    int as_clear = 1;
    for (int shuffle = 0; shuffle < rules.shuffles; ++shuffle) {
        for (std::size_t left = ranks.size(); left > 1; --left)
            std::swap(ranks[left - 1], ranks[static_cast<std::size_t>(random.below(left))]);
        as_clear += clearest(ranks, static_cast<std::size_t>(rules.segment_min)).clearness >= step.clearness ? 1 : 0;
    }
    return static_cast<double>(as_clear) / (rules.shuffles + 1);
}

void split(std::span<const double> values, std::size_t offset, const ChangePointRules& rules,
           std::vector<ChangePoint>& points) {
    if (values.size() < 2 * static_cast<std::size_t>(std::max(rules.segment_min, 1))) return;
    const auto ranks = ranks_of(values);
    const auto step = clearest(ranks, static_cast<std::size_t>(rules.segment_min));
    if (step.first == 0) return;
    const double probability = probability_of(step, ranks, rules);
    if (probability > rules.level) return;
    split(values.first(step.first), offset, rules, points);
    points.push_back({offset + step.first, 0, probability});
    split(values.subspan(step.first), offset + step.first, rules, points);
}

// The size of a step is computed from the segments next to it. The smallest step below the margin is removed first,
// because that changes its neighbours.
void measure(std::span<const double> values, const ChangePointRules& rules, std::vector<ChangePoint>& points) {
    while (!points.empty()) {
        for (std::size_t place = 0; place < points.size(); ++place) {
            const auto from = place == 0 ? 0 : points[place - 1].first;
            const auto to = place + 1 < points.size() ? points[place + 1].first : values.size();
            const double before = median(values.subspan(from, points[place].first - from));
            points[place].change = median(values.subspan(points[place].first, to - points[place].first)) / before - 1;
        }
        const auto smallest = std::min_element(points.begin(), points.end(), [](const auto& left, const auto& right) {
            return std::abs(left.change) < std::abs(right.change);
        });
        if (std::abs(smallest->change) > rules.margin) return;
        points.erase(smallest);
    }
}

}  // namespace

ChangePoints change_points(std::span<const double> seconds, const ChangePointRules& rules) {
    if (!std::all_of(seconds.begin(), seconds.end(), is_time)) return {{}, "a time is not positive and finite"};
    if (static_cast<int>(seconds.size()) < rules.sessions_min)
        return {{}, std::to_string(seconds.size()) + " of " + std::to_string(rules.sessions_min) + " sessions"};
    ChangePoints result;
    split(seconds, 0, rules, result.points);
    measure(seconds, rules, result.points);
    return result;
}

}  // namespace tocuda
