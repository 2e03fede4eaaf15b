// tocuda, Apache-2.0.
#include "comparison_rules/likely_change.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "comparison_rules/log_scale.hpp"
#include "statistics/distributions.hpp"

namespace tocuda {
namespace {

// Student's two-sided quantiles at one level, cached because many rows need the same.
class Quantiles {
public:
    explicit Quantiles(double two_sided) : level(two_sided) {}

    double at(int freedom) {  // 0: of a known variance
        const auto [found, is_new] = known.try_emplace(freedom, 0);
        if (is_new)
            found->second = freedom > 0 ? student_quantile(1 - level / 2, freedom) : normal_quantile(1 - level / 2);
        return found->second;
    }

private:
    double level;
    std::map<int, double> known{};
};

// How far from zero a change must be if starts vary by `spread`: sqrt((a * spread)^2 + b^2).
struct Limit {
    double a = 0;
    double b = 0;  // what processes alone explain
    bool is_known = true;

    double at(double spread) const { return std::hypot(a * spread, b); }
    double reached_at(double size) const { return size > b ? std::sqrt(size * size - b * b) / a : 0; }
};

// A recorded noise includes that of processes. To an assumed one it is added, and its quantile is its own: it is known
// far less well.
Limit limit_of(const RowEstimate& estimate, Quantiles& quantiles) {
    const auto hosts = static_cast<double>(std::max<std::size_t>(estimate.hosts.size(), 1));
    const double loads = std::sqrt((median_variance(static_cast<std::size_t>(estimate.loads_before)) +
                                    median_variance(static_cast<std::size_t>(estimate.loads_after))) /
                                   hosts);
    if (estimate.noise && estimate.noise->freedom > 0) return {.a = quantiles.at(estimate.noise->freedom) * loads};
    const auto& [error, freedom] = estimate.process_noise;
    if (freedom == 0) return {.is_known = false};
    return {quantiles.at(0) * loads, quantiles.at(freedom) * error};
}

void add_likely(const RowEstimate& estimate, const Limit& limit, RowChange& answer) {
    const double size = std::abs(estimate.change);
    const bool is_large = std::abs(*answer.change) > answer.margin;
    answer.start_noise = estimate.noise;
    if (is_large) answer.chance_above = limit.reached_at(size);
    if (!estimate.noise) return;
    const double half = limit.at(estimate.noise->spread);
    if (is_large && size > half)
        answer.verdict = *answer.change > 0 ? ChangeVerdict::likely_slower : ChangeVerdict::likely_faster;
    else answer.not_excluded = std::max(0.0, as_part(estimate.change + half));
}

}  // namespace

void add_likely(std::span<const RowEstimate> estimates, const ComparisonRules& rules, std::vector<RowChange>& answers) {
    const auto is_asked = [](const RowEstimate& one) { return one.has_change() && !one.is_part; };
    const auto with_change = std::count_if(estimates.begin(), estimates.end(), is_asked);
    Quantiles quantiles(rules.likely_level / static_cast<double>(std::max<std::ptrdiff_t>(with_change, 1)));
    for (std::size_t place = 0; place < estimates.size(); ++place) {
        const auto& estimate = estimates[place];
        if (answers[place].verdict != ChangeVerdict::undecided || !is_asked(estimate)) continue;
        if (const auto limit = limit_of(estimate, quantiles); limit.is_known)
            add_likely(estimate, limit, answers[place]);
    }
}

}  // namespace tocuda
