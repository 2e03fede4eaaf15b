// tocuda, Apache-2.0.
// Log ratios of the rounds, their trimmed mean, Student's t and Holm.
#include "comparison_rules/paired_comparison.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "comparison_rules/log_scale.hpp"
#include "statistics/distributions.hpp"
#include "statistics/multiple_testing.hpp"
#include "statistics/order_statistics.hpp"

namespace tocuda {
namespace {

bool are_times(const std::vector<Round>& rounds) {
    return std::all_of(rounds.begin(), rounds.end(),
                       [](const Round& round) { return is_time(round.before) && is_time(round.after); });
}

std::string why_invalid(const PairedRow& row) {
    if (!row.invalid.empty()) return row.invalid;
    return are_times(row.first) && are_times(row.fresh) ? std::string() : "a time is not positive and finite";
}

TrimmedMean ratio_of(const std::vector<Round>& rounds) {
    std::vector<double> ratios;
    for (const auto& round : rounds) ratios.push_back(std::log(round.after) - std::log(round.before));
    return trimmed_mean(ratios);
}

// In the far tails, which a family of rows needs, the trimmed mean's nominal freedom is too optimistic. The factor was
// calibrated.
double tested_freedom(const TrimmedMean& ratio) { return 0.75 * ratio.freedom; }

// Returns 0 without degrees of freedom; callers must then not use it.
double half_width(const TrimmedMean& ratio, double level) {
    return ratio.freedom > 0 ? student_quantile(1 - level / 2, tested_freedom(ratio)) * ratio.error : 0;
}

bool is_same(const TrimmedMean& ratio, const ComparisonRules& rules) {
    if (!(ratio.freedom > 0)) return false;
    const double half = half_width(ratio, 1 - rules.same_level);
    return as_part(ratio.mean - half) >= -rules.margin && as_part(ratio.mean + half) <= rules.margin;
}

double probability_of(const TrimmedMean& ratio) {
    if (!(ratio.freedom > 0) || ratio.mean == 0) return 1;
    return ratio.error > 0 ? 2 * student_cumulative(-std::abs(ratio.mean) / ratio.error, tested_freedom(ratio)) : 0;
}

bool has(const std::vector<Round>& rounds, int count) { return static_cast<int>(rounds.size()) >= count; }

std::string rounds_of(std::size_t has_rounds, int needed, const char* which) {
    return fmt::format("{} of {}{}", has_rounds, needed, which);
}

// Describes the rounds at this level; `first_level` is the strictest level of the family.
RowChange described(const std::vector<Round>& rounds, double level, double first_level, const ComparisonRules& rules) {
    RowChange answer;
    const auto ratio = ratio_of(rounds);
    answer.margin = rules.margin;
    answer.processes_before = answer.processes_after = static_cast<int>(rounds.size());
    answer.starts_before = answer.starts_after = rounds.empty() ? 0 : 1;
    if (!rounds.empty()) answer.change = as_part(ratio.mean);
    if (!(ratio.freedom > 0)) return answer;
    answer.freedom = static_cast<int>(ratio.freedom);
    const double half = half_width(ratio, level);
    answer.interval = Range{as_part(ratio.mean - half), as_part(ratio.mean + half)};
    answer.interval_level = 1 - level;
    const double error_at_most = ratio.error * std::sqrt(ratio.freedom / chi_squared_quantile(0.1, ratio.freedom));
    answer.detectable = as_part(std::max(std::log1p(rules.margin), half_width(ratio, first_level)) +
                                normal_quantile(rules.power) * error_at_most);
    return answer;
}

void decide(RowChange& answer, const std::vector<Round>& rounds, const ComparisonRules& rules) {
    const bool excludes_zero = answer.interval->low > 0 || answer.interval->high < 0;
    if (is_same(ratio_of(rounds), rules)) answer.verdict = ChangeVerdict::same;
    else if (excludes_zero && std::abs(*answer.change) > rules.margin)
        answer.verdict = *answer.change > 0 ? ChangeVerdict::slower : ChangeVerdict::faster;
    else
        answer.because =
            excludes_zero ? "there is a change, but it may be below the margin" : "rounds vary too much to tell";
}

struct Family {
    std::vector<double> levels{};  // by row, in the same order
    std::vector<bool> is_listed{};
    double first_level = 0;
};

Family family_of(std::span<const PairedRow> rows, const std::vector<bool>& carried, const ComparisonRules& rules,
                 const PairedRules& rounds) {
    std::vector<double> probabilities;
    for (std::size_t place = 0; place < rows.size(); ++place)
        if (carried[place] && has(rows[place].fresh, rounds.fresh_rounds))
            probabilities.push_back(probability_of(ratio_of(rows[place].fresh)));
    const auto carried_rows = static_cast<double>(std::max<std::size_t>(probabilities.size(), 1));
    const auto levels = holm_levels(probabilities, rules.level);
    const auto listed = benjamini_hochberg(probabilities, rules.listing_level);
    Family family{.first_level = rules.level / carried_rows};
    std::size_t next = 0;
    for (std::size_t place = 0; place < rows.size(); ++place) {
        const bool is_tested = carried[place] && has(rows[place].fresh, rounds.fresh_rounds);
        family.levels.push_back(is_tested ? levels[next] : family.first_level);
        family.is_listed.push_back(is_tested && listed[next]);
        if (is_tested) ++next;
    }
    return family;
}

}  // namespace

std::vector<bool> carried_on(std::span<const PairedRow> rows, const ComparisonRules& rules, const PairedRules& rounds) {
    std::vector<bool> carried;
    for (const auto& row : rows)
        carried.push_back(why_invalid(row).empty() && has(row.first, rounds.first_rounds) &&
                          !is_same(ratio_of(row.first), rules));
    return carried;
}

std::vector<RowChange> compare_pairs(std::span<const PairedRow> rows, const ComparisonRules& rules,
                                     const PairedRules& rounds) {
    const auto carried = carried_on(rows, rules, rounds);
    const auto family = family_of(rows, carried, rules, rounds);
    std::vector<RowChange> answers;
    for (std::size_t place = 0; place < rows.size(); ++place) {
        const auto& row = rows[place];
        RowChange answer;
        answer.margin = rules.margin;
        if (answer.because = why_invalid(row); !answer.because.empty()) {
            answer.verdict = ChangeVerdict::invalid;
        } else if (!carried[place] || row.fresh.empty()) {
            answer = described(row.first, family.first_level, family.first_level, rules);
            if (!has(row.first, rounds.first_rounds))
                answer.because = rounds_of(row.first.size(), rounds.first_rounds, " rounds");
            else if (carried[place])
                answer.because = "the first rounds do not show that it is the same, and there are no fresh rounds";
            else answer.verdict = ChangeVerdict::same;
        } else {
            answer = described(row.fresh, family.levels[place], family.first_level, rules);
            if (has(row.fresh, rounds.fresh_rounds)) decide(answer, row.fresh, rules);
            else answer.because = rounds_of(row.fresh.size(), rounds.fresh_rounds, " fresh rounds");
            answer.worth_a_look = answer.verdict == ChangeVerdict::undecided && family.is_listed[place] &&
                                  std::abs(*answer.change) > rules.margin;
        }
        // Too few rounds would not have shown it.
        if (answer.verdict == ChangeVerdict::undecided && answer.detectable &&
            std::abs(*answer.change) > *answer.detectable)
            answer.detectable.reset();
        answers.push_back(std::move(answer));
    }
    return answers;
}

}  // namespace tocuda
