// tocuda, Apache-2.0.
#include <algorithm>
#include <cmath>
#include <optional>

#include "comparison_rules/criticals.hpp"
#include "comparison_rules/log_scale.hpp"
#include "comparison_rules/row_comparison.hpp"

namespace tocuda {
namespace {

// How far from zero a change must be if starts vary by `spread`: sqrt((a * spread)^2 + b^2).
struct Limit {
    double a = 0;
    double b = 0;  // what processes alone explain

    double at(double spread) const { return std::hypot(a * spread, b); }
    double reached_at(double size) const { return size > b ? std::sqrt(size * size - b * b) / a : 0; }
};

// A recorded noise includes that of processes. To an assumed one it is added, and its quantile is its own: it is known
// far less well.
std::optional<Limit> limit_of(const RowEstimate& estimate, double level, Criticals& criticals) {
    const double hosts = std::max(estimate.witnesses(), 1);
    const double loads = std::sqrt((median_variance(static_cast<std::size_t>(estimate.loads_before)) +
                                    median_variance(static_cast<std::size_t>(estimate.loads_after))) /
                                   hosts);
    if (estimate.noise && estimate.noise->freedom > 0)
        return Limit{.a = criticals.student(level, estimate.noise->freedom) * loads};
    const auto& [error, freedom] = estimate.process_noise;
    if (freedom == 0) return std::nullopt;
    return Limit{criticals.student(level, 0) * loads, criticals.student(level, freedom) * error};
}

void add_likely(const RowEstimate& estimate, const Limit& limit, RowChange& answer) {
    const double size = std::abs(estimate.change);
    const bool is_large = leaning(answer).has_value();
    answer.start_noise = estimate.noise;
    if (is_large) answer.chance_above = limit.reached_at(size);
    if (!estimate.noise) return;
    const double half = limit.at(estimate.noise->spread);
    if (is_large && size > half && estimate.do_means_agree(half))
        answer.verdict = *answer.change > 0 ? ChangeVerdict::likely_slower : ChangeVerdict::likely_faster;
    else answer.not_excluded = std::max(0.0, as_part(estimate.change + half));
}

}  // namespace

void add_likely(std::span<const RowEstimate> estimates, const ComparisonRules& rules, std::vector<RowChange>& answers) {
    // Of enough hosts their own differences are the noise, and nothing need be known of that of starts.
    const auto is_asked = [&](const RowEstimate& one) {
        return one.has_change() && !one.is_part && (one.hosts.empty() || !one.has_enough(rules));
    };
    const auto with_change = std::count_if(estimates.begin(), estimates.end(), is_asked);
    const double level = rules.likely_level / static_cast<double>(std::max<std::ptrdiff_t>(with_change, 1));
    Criticals criticals;
    for (std::size_t place = 0; place < estimates.size(); ++place) {
        const auto& estimate = estimates[place];
        if (answers[place].verdict != ChangeVerdict::undecided || !is_asked(estimate)) continue;
        auto limit = limit_of(estimate, level, criticals);
        if (!limit) continue;
        if (estimate.less_controls)  // what they, too, may have had by chance
            limit->b = std::hypot(limit->b,
                                  criticals.student(level, estimate.controls_freedom / 2.0) * estimate.controls_error);
        add_likely(estimate, *limit, answers[place]);
    }
}

}  // namespace tocuda
