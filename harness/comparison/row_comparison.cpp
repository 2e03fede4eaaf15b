// tocuda, Apache-2.0.
// From what each row says by itself to the verdicts: the family, the margins, the reasons.
#include "comparison/row_comparison.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "comparison/row_estimate.hpp"
#include "comparison/start_spread.hpp"
#include "statistics/distributions.hpp"
#include "statistics/family.hpp"

namespace tocuda {
namespace {

// new / old - 1. What is too large for a number stays one.
double as_part(double logarithm) { return std::min(std::expm1(logarithm), std::numeric_limits<double>::max()); }

Range as_parts(const LogRange& range) { return {as_part(range.low), as_part(range.high)}; }

// What each row is asked at: its step of Holm where it is tested, the first step where it is not.
struct Asked {
    double level = 0;
    double first_level = 0;
    bool is_tested = false;
    bool is_listed = false;
};

std::vector<Asked> ask(std::span<const RowEstimate> estimates, const ComparisonRules& rules) {
    std::vector<double> probabilities;
    std::size_t with_interval = 0;
    for (const auto& one : estimates) {
        if (one.has_interval()) ++with_interval;
        if (one.has_enough(rules)) probabilities.push_back(probability_of(one));
    }
    const auto levels = holm_levels(probabilities, rules.level);
    const auto listed = benjamini_hochberg(probabilities, rules.listing_level);
    const auto family = static_cast<double>(std::max<std::size_t>(probabilities.empty() ? with_interval : probabilities.size(), 1));
    std::vector<Asked> asked;
    std::size_t place = 0;
    for (const auto& one : estimates) {
        asked.push_back({rules.level / family, rules.level / family, false, false});
        if (!one.has_enough(rules)) continue;
        asked.back() = {levels[place], rules.level / family, true, listed[place]};
        ++place;
    }
    return asked;
}

bool lies_inside(const Range& range, double margin) { return range.low >= -margin && range.high <= margin; }
bool excludes_zero(const Range& range) { return range.low > 0 || range.high < 0; }

Range same_interval(const RowEstimate& estimate, double error, const ComparisonRules& rules) {
    const double half = student_quantile((1 + rules.same_level) / 2, estimate.freedom) * error;
    return as_parts({estimate.change - half, estimate.change + half});
}

ChangeVerdict judge(const RowEstimate& estimate, const RowChange& answer, const Asked& asked, const ComparisonRules& rules) {
    if (!estimate.invalid.empty()) return ChangeVerdict::invalid;
    if (!asked.is_tested) return ChangeVerdict::undecided;
    if (lies_inside(same_interval(estimate, estimate.error(), rules), answer.margin)) return ChangeVerdict::same;
    if (!excludes_zero(*answer.interval) || !(std::abs(*answer.change) > answer.margin)) return ChangeVerdict::undecided;
    return *answer.change > 0 ? ChangeVerdict::slower : ChangeVerdict::faster;
}

std::string of_starts(int has, int needed, const std::string& side) {
    return std::to_string(has) + " of " + std::to_string(needed) + (needed == 1 ? " start on the " : " starts on the ") + side + " side";
}

std::string what_is_missing(const RowEstimate& estimate, const ComparisonRules& rules) {
    if (estimate.starts_before == 0) return "no time on the old side";
    if (estimate.starts_after == 0) return "no time on the new side";
    if (estimate.starts_before < rules.starts_min) return of_starts(estimate.starts_before, rules.starts_min, "old");
    if (estimate.starts_after < rules.starts_min) return of_starts(estimate.starts_after, rules.starts_min, "new");
    return "how starts vary is known with " + std::to_string(estimate.freedom) + " of " + std::to_string(rules.freedom_min) + " degrees of freedom";
}

std::string why_undecided(const RowEstimate& estimate, const RowChange& answer, const ComparisonRules& rules) {
    if (!estimate.has_enough(rules)) return what_is_missing(estimate, rules);
    if (excludes_zero(*answer.interval)) return "there is a change, but it may be below the margin";
    const double half = student_quantile(1 - (1 - *answer.interval_level) / 2, estimate.freedom) * estimate.error();
    if (std::abs(estimate.change) > half) return "not all starts agree on the change";
    return "starts vary too much to tell";
}

// What is still needed before anything may be said: each start more on a side that has one is a degree of freedom.
int missing_for_a_word(const RowEstimate& estimate, const ComparisonRules& rules) {
    const int on_sides = std::max(0, rules.starts_min - estimate.starts_before) + std::max(0, rules.starts_min - estimate.starts_after);
    const int freedom = estimate.freedom + on_sides - (estimate.starts_before == 0 ? 1 : 0) - (estimate.starts_after == 0 ? 1 : 0);
    return on_sides + std::max(0, rules.freedom_min - freedom);
}

// With how many more starts, were they like these, the row would be the same, or changed. Beyond 30 a side nobody should be sent.
int missing_for_a_decision(const RowEstimate& estimate, const RowChange& answer, double level, const ComparisonRules& rules) {
    const double critical = student_quantile(1 - level / 2, estimate.freedom);
    const bool is_large = std::abs(*answer.change) > answer.margin;
    for (int starts = std::max(std::min(estimate.starts_before, estimate.starts_after) + 1, rules.starts_min); starts <= 30; ++starts) {
        const double error = estimate.error_with(starts);
        if (!lies_inside(same_interval(estimate, error, rules), answer.margin) && !(is_large && std::abs(estimate.change) > critical * error)) continue;
        return std::max(0, starts - estimate.starts_before) + std::max(0, starts - estimate.starts_after);
    }
    return 0;
}

RowChange answer_for(const RowEstimate& estimate, const Asked& asked, const ComparisonRules& rules) {
    RowChange answer;
    answer.starts_before = estimate.starts_before;
    answer.starts_after = estimate.starts_after;
    answer.processes_before = estimate.processes_before;
    answer.processes_after = estimate.processes_after;
    answer.freedom = estimate.freedom;
    answer.margin = std::max(rules.margin, as_part(estimate.least_margin));
    answer.because = estimate.invalid;
    if (estimate.has_change()) answer.change = as_part(estimate.change);
    if (estimate.has_interval()) {
        answer.interval = as_parts(interval_of(estimate, asked.level));
        answer.interval_level = 1 - asked.level;
        answer.detectable = as_part(log_detectable(estimate, asked.first_level, rules.power, std::log1p(answer.margin)));
    }
    answer.verdict = judge(estimate, answer, asked, rules);
    if (answer.verdict == ChangeVerdict::undecided) {
        answer.because = why_undecided(estimate, answer, rules);
        answer.worth_a_look = asked.is_listed && std::abs(*answer.change) > answer.margin;
        answer.starts_missing = asked.is_tested ? missing_for_a_decision(estimate, answer, asked.first_level, rules) : missing_for_a_word(estimate, rules);
    }
    return answer;
}

}  // namespace

std::vector<RowChange> compare_rows(std::span<const ComparedRow> rows, const ComparisonRules& rules) {
    std::vector<RowEstimate> estimates;
    estimates.reserve(rows.size());
    for (const auto& row : rows) estimates.push_back(estimate(row));
    const auto asked = ask(estimates, rules);
    std::vector<RowChange> answers;
    answers.reserve(rows.size());
    for (std::size_t place = 0; place < rows.size(); ++place) answers.push_back(answer_for(estimates[place], asked[place], rules));
    return answers;
}

}  // namespace tocuda
