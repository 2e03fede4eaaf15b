// tocuda, Apache-2.0.
// Turns the estimates of single rows into verdicts: the family, the margins, the reasons.
#include "comparison_rules/row_comparison.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "comparison_rules/criticals.hpp"
#include "comparison_rules/hosts.hpp"
#include "comparison_rules/log_scale.hpp"
#include "statistics/multiple_testing.hpp"

namespace tocuda {
namespace {

Range as_parts(const LogRange& range) { return {as_part(range.low), as_part(range.high)}; }

// The levels and critical values for one row: its step of Holm if it is tested, else the first step.
struct Asked {
    double level = 0;
    double critical = 0;
    double first_critical = 0;
    double same_critical = 0;
    double spread_at_most = 0;
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
    const auto family =
        static_cast<double>(std::max<std::size_t>(probabilities.empty() ? with_interval : probabilities.size(), 1));
    Criticals criticals;
    std::vector<Asked> all;
    all.reserve(estimates.size());
    std::size_t place = 0;
    for (const auto& one : estimates) {
        Asked asked{.level = rules.level / family, .is_tested = one.has_enough(rules)};
        if (asked.is_tested) {
            asked.level = levels[place];
            asked.is_listed = listed[place++];
        }
        if (one.has_interval()) {
            asked.critical = criticals.student(asked.level, tested_freedom(one));
            asked.first_critical = criticals.student(rules.level / family, tested_freedom(one));
            asked.same_critical = criticals.student(1 - rules.same_level, one.freedom);
            asked.spread_at_most = criticals.spread_at_most(one.freedom);
        }
        all.push_back(asked);
    }
    return all;
}

bool lies_inside(const Range& range, double margin) { return range.low >= -margin && range.high <= margin; }
bool excludes_zero(const Range& range) { return range.low > 0 || range.high < 0; }

bool is_same(const RowEstimate& estimate, const Asked& asked, double error, double margin) {
    const double half = asked.same_critical * error;
    return lies_inside(as_parts({estimate.change - half, estimate.change + half}), margin);
}

ChangeVerdict judge(const RowEstimate& estimate, const RowChange& answer, const Asked& asked) {
    if (!estimate.invalid.empty()) return ChangeVerdict::invalid;
    if (!asked.is_tested) return ChangeVerdict::undecided;
    if (is_same(estimate, asked, estimate.error(), answer.margin)) return ChangeVerdict::same;
    if (!excludes_zero(*answer.interval) || !(std::abs(*answer.change) > answer.margin) || !did_most_change(answer) ||
        !estimate.do_means_agree(asked.critical * estimate.error()))
        return ChangeVerdict::undecided;
    return *answer.change > 0 ? ChangeVerdict::slower : ChangeVerdict::faster;
}

std::string of_starts(int has, int needed, const std::string& side) {
    return fmt::format("{} of {}{}{} side", has, needed, needed == 1 ? " start on the " : " starts on the ", side);
}

std::string what_is_missing(const RowEstimate& estimate, const ComparisonRules& rules) {
    if (!estimate.hosts.empty())
        return fmt::format(
            "{} of {}{}{}", estimate.witnesses(), rules.hosts_min, estimate.by_block ? " blocks" : " hosts",
            estimate.witnesses() < static_cast<int>(estimate.hosts.size()) ? " without those far from the others" : "");
    if (estimate.starts_before == 0) return "no time on the old side";
    if (estimate.starts_after == 0) return "no time on the new side";
    if (estimate.starts_before < rules.starts_min) return of_starts(estimate.starts_before, rules.starts_min, "old");
    if (estimate.starts_after < rules.starts_min) return of_starts(estimate.starts_after, rules.starts_min, "new");
    return fmt::format("{} of the {} degrees of freedom needed to be sure (each start after a group's first adds one)",
                       estimate.freedom, rules.freedom_min);
}

std::string why_undecided(const RowEstimate& estimate, const RowChange& answer, const Asked& asked,
                          const ComparisonRules& rules) {
    if (!estimate.has_enough(rules)) return what_is_missing(estimate, rules);
    if (excludes_zero(*answer.interval) && !estimate.do_means_agree(asked.critical * estimate.error()))
        return "the means of the starts do not differ as the medians do, as where starts have two levels";
    if (excludes_zero(*answer.interval)) {
        if (!(std::abs(*answer.change) > answer.margin) || did_most_change(answer))
            return "there is a change, but it may be below the margin";
        return estimate.by_block ? "only some blocks changed" : "only some hosts changed";
    }
    if (std::abs(estimate.change) > asked.critical * estimate.error())
        return "single starts deviate nearly as much without any change";
    if (estimate.hosts.empty()) return "starts vary too much to tell";
    return estimate.by_block ? "blocks differ too much to tell" : "hosts differ too much to tell";
}

// Returns how many starts are missing before any verdict is possible. Each further start on a side that has one adds a
// degree of freedom.
int missing_for_a_word(const RowEstimate& estimate, const ComparisonRules& rules) {
    if (!estimate.hosts.empty()) return std::max(0, rules.hosts_min - estimate.witnesses());
    const int on_sides =
        std::max(0, rules.starts_min - estimate.starts_before) + std::max(0, rules.starts_min - estimate.starts_after);
    const int freedom =
        estimate.freedom + on_sides - (estimate.starts_before == 0 ? 1 : 0) - (estimate.starts_after == 0 ? 1 : 0);
    return on_sides + std::max(0, rules.freedom_min - freedom);
}

// Returns how many more starts would make the row the same or changed, if they resemble these. 0 beyond 30 a side,
// which is not worth recommending.
int missing_for_a_decision(const RowEstimate& estimate, const RowChange& answer, const Asked& asked) {
    if (!estimate.hosts.empty()) return 0;  // there are as many hosts as there are
    const bool is_large = std::abs(*answer.change) > answer.margin;
    for (int starts = std::min(estimate.starts_before, estimate.starts_after) + 1; starts <= 30; ++starts) {
        const double error = estimate.error_with(starts);
        if (!is_same(estimate, asked, error, answer.margin) &&
            !(is_large && std::abs(estimate.change) > asked.first_critical * error))
            continue;
        return std::max(0, starts - estimate.starts_before) + std::max(0, starts - estimate.starts_after);
    }
    return 0;
}

bool has_enough_hosts(const RowEstimate& estimate, const ComparisonRules& rules) {
    return !estimate.hosts.empty() && estimate.has_enough(rules);
}

// Whether the old driver, measured again, was as before: its own change is surely less than half of the row's.
bool is_undone(const RowEstimate& estimate, const ComparisonRules& rules) {
    if (!estimate.drift || !has_enough_hosts(estimate, rules)) return false;
    const double critical = Criticals().student(rules.level, static_cast<double>(estimate.hosts.size() - 1) / 2);
    return std::abs(*estimate.drift) + critical * estimate.drift_error < std::abs(estimate.change) / 2;
}

RowChange answer_for(const RowEstimate& estimate, const Asked& asked, double power, const ComparisonRules& rules) {
    RowChange answer;
    answer.starts_before = estimate.starts_before;
    answer.starts_after = estimate.starts_after;
    answer.processes_before = estimate.processes_before;
    answer.processes_after = estimate.processes_after;
    answer.freedom = estimate.freedom;
    answer.margin = std::max(rules.margin, as_part(estimate.least_margin));
    answer.because = estimate.invalid;
    answer.by_block = estimate.by_block;
    answer.hosts = estimate.hosts;
    answer.controls = estimate.controls;
    for (auto* hosts : {&answer.hosts, &answer.controls})
        for (auto& one : *hosts) one.change = as_part(one.change);
    for (auto& one : answer.controls) one.kept_driver = true;
    if (!answer.controls.empty()) answer.controls_change = as_part(estimate.controls_change);
    answer.less_controls = estimate.less_controls;
    answer.noise_freedom = estimate.noise_freedom;
    answer.assumption_unused = estimate.assumption_unused;
    if (estimate.drift) answer.drift = as_part(*estimate.drift);
    answer.is_separated = estimate.less_controls || is_undone(estimate, rules);
    if (estimate.has_change()) answer.change = as_part(estimate.change);
    if (estimate.has_interval()) {
        answer.interval = as_parts(interval_of(estimate, asked.critical));
        answer.interval_level = 1 - asked.level;
        if (asked.is_tested)
            answer.detectable = as_part(
                log_detectable(estimate, asked.first_critical, power, asked.spread_at_most, std::log1p(answer.margin)));
    }
    answer.verdict = judge(estimate, answer, asked);
    if (answer.verdict == ChangeVerdict::undecided) {
        answer.because = why_undecided(estimate, answer, asked, rules);
        if (has_enough_hosts(estimate, rules)) answer.not_excluded = std::max(0.0, answer.interval->high);
        answer.worth_a_look = asked.is_listed && std::abs(*answer.change) > answer.margin;
        answer.starts_missing =
            asked.is_tested ? missing_for_a_decision(estimate, answer, asked) : missing_for_a_word(estimate, rules);
    }
    return answer;
}

}  // namespace

std::vector<RowChange> compare_rows(std::span<const ComparedRow> rows, const ComparisonRules& rules) {
    std::vector<RowEstimate> estimates;
    estimates.reserve(rows.size());
    for (const auto& row : rows) estimates.push_back(estimate(row, rules));
    return compare_estimates(std::move(estimates), rules);
}

std::vector<RowChange> compare_estimates(std::vector<RowEstimate> estimates, const ComparisonRules& rules) {
    set_outstanding_aside(estimates, rules);
    const auto asked = ask(estimates, rules);
    const double power = normal_quantile(rules.power);
    std::vector<RowChange> answers;
    answers.reserve(estimates.size());
    for (std::size_t place = 0; place < estimates.size(); ++place)
        answers.push_back(answer_for(estimates[place], asked[place], power, rules));
    add_likely(estimates, rules, answers);
    withhold_from_drift(estimates, answers);
    find_unlike(estimates, rules, answers);
    find_unlike_gpus(estimates, rules, answers);
    find_groups(answers);
    return answers;
}

}  // namespace tocuda
