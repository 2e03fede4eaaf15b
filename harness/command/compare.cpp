// tocuda, Apache-2.0.
// `tocuda compare OLD NEW`: what changed between two sets of result files, how surely, and to what it can be attributed.
#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "command/change_table.hpp"
#include "command/change_words.hpp"
#include "command/compare_options.hpp"
#include "command/compared_files.hpp"
#include "command/complaint.hpp"
#include "command/verb.hpp"
#include "comparison/paired_rows.hpp"
#include "comparison/row_comparison.hpp"
#include "lines/compare_document.hpp"

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

void answer(ChangeReport& report, const ComparisonRules& rules) {
    std::vector<ComparedRow> rows;
    for (auto& one : report.rows) rows.push_back(std::move(one.row));
    const auto changes = compare_rows(rows, rules);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        report.rows[i].row = std::move(rows[i]);
        report.rows[i].change = changes.at(i);
        withhold_from_same_starts(report.rows[i], report.same_starts);
    }
}

int code_of(const ChangeReport& report, bool strict) {
    const auto any = [&](ChangeVerdict verdict) {
        return std::any_of(report.rows.begin(), report.rows.end(), [&](const AnsweredRow& one) { return one.change.verdict == verdict; });
    };
    if (any(ChangeVerdict::slower) || !report.claims.verdicts.empty() || !report.claims.texts.empty()) return finding;
    const bool compared = any(ChangeVerdict::same) || any(ChangeVerdict::faster) || any(ChangeVerdict::undecided) || report.claims.compared > 0;
    if (!compared) return nothing_done;
    return strict && any(ChangeVerdict::undecided) ? undecided : as_expected;
}

void print(const ChangeReport& report, bool all) {
    const auto paper = paper_for_stdout();
    fmt::print("{}\n", compared_words(report, paper));
    for (const auto& text : {change_table(report, all, paper), claim_words(report, paper), unpaired_words(report)})
        if (!text.empty()) fmt::print("{}\n", text);
    fmt::print("{}\n", total_words(report));
}

int compare_sides(const CompareOptions& options) {
    RowNames names;
    auto before = read_files({options.before}, names);
    auto after = before.wrong.empty() ? read_files({options.after}, names) : ReadFiles{};
    auto history = options.history.empty() || !after.wrong.empty() ? ReadFiles{} : read_files({options.history}, names);
    for (const auto* read : {&before, &after, &history}) {
        if (read->wrong.empty()) continue;
        complain("tocuda: " + read->wrong);
        return usage;
    }
    ComparisonRules rules;
    if (options.margin_percent > 0) rules.margin = options.margin_percent / 100;
    GatheredSides sides{std::move(before.sections), std::move(after.sections), std::move(history.sections)};
    auto report = pair_rows(names, sides, rules.freedom_min);
    report.before.files = before.files;
    report.after.files = after.files;
    std::set<std::string> told;
    for (const auto* read : {&before, &after, &history})
        for (const auto& warning : read->warnings)
            if (told.insert(warning).second) report.warnings.push_back(warning);
    answer(report, rules);
    if (!options.quiet && !options.json)
        for (const auto& warning : report.warnings) complain("tocuda: " + warning);
    if (options.json) fmt::print("{}\n", compare_document(report));
    else print(report, options.all);
    const int code = code_of(report, options.strict);
    if (code == nothing_done) complain("tocuda compare: nothing here can be compared");
    return code;
}

}  // namespace

int compare_verb(const Words& words) {
    const auto parsed = parse_compare_options(words);
    if (const auto* code = std::get_if<int>(&parsed)) return *code;
    return compare_sides(std::get<CompareOptions>(parsed));
}

}  // namespace tocuda
