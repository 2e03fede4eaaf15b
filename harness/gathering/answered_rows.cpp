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
    auto report = pair_rows(names, sides, rules.freedom_min);
    std::vector<ComparedRow> rows;
    for (auto& one : report.rows) rows.push_back(std::move(one.row));
    const auto changes = compare_rows(rows, rules);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        report.rows[i].row = std::move(rows[i]);
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
