// tocuda, Apache-2.0.
// Pairs, and then the answers.
#include "gathering/answered_rows.hpp"

#include <algorithm>

#include "comparison/row_comparison.hpp"

namespace tocuda {
namespace {

// What stands on both sides cannot differ between them.
void withhold_from_same_starts(AnsweredRow& one, const std::vector<std::string>& same_starts) {
    if (one.change.verdict != ChangeVerdict::slower && one.change.verdict != ChangeVerdict::faster) return;
    const auto is_same = [&](const Start& start) { return std::binary_search(same_starts.begin(), same_starts.end(), start.name); };
    if (std::none_of(one.row.before.begin(), one.row.before.end(), is_same) && std::none_of(one.row.after.begin(), one.row.after.end(), is_same)) return;
    one.change.verdict = ChangeVerdict::undecided;
    one.change.because = "a start stands on both sides";
    one.change.starts_missing = 0;
}

}  // namespace

ChangeReport compare_sides(const RowNames& names, GatheredSides& sides, const ComparisonRules& rules) {
    std::vector<RowEstimate> estimates;
    auto report = pair_rows(names, sides, rules.freedom_min, [&](AnsweredRow& one) {
        estimates.push_back(estimate(one.row));
        one.row.history.groups = {};  // of a fleet each row's is as large as all the others' sides: one at a time
    });
    const auto changes = compare_estimates(estimates, rules);
    for (std::size_t i = 0; i < report.rows.size(); ++i) {
        report.rows[i].change = changes.at(i);
        withhold_from_same_starts(report.rows[i], report.same_starts);
    }
    return report;
}

bool has_verdict(const ChangeReport& report, ChangeVerdict verdict) {
    return std::any_of(report.rows.begin(), report.rows.end(), [&](const AnsweredRow& one) { return one.change.verdict == verdict; });
}

bool has_findings(const ChangeReport& report) {
    return has_verdict(report, ChangeVerdict::slower) || !report.claims.verdicts.empty() || !report.claims.texts.empty();
}

bool compared_anything(const ChangeReport& report) {
    return report.claims.compared > 0 ||
           std::any_of(report.rows.begin(), report.rows.end(), [](const AnsweredRow& one) { return one.change.verdict != ChangeVerdict::invalid; });
}

}  // namespace tocuda
