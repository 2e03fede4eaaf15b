// tocuda, Apache-2.0.
#include "printing/against_report.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "json_lines/build_line.hpp"
#include "json_lines/compare_document.hpp"
#include "printing/change_table.hpp"
#include "statistics/order_statistics.hpp"
#include "summary/row_summary.hpp"
#include "terminal/complaint.hpp"

namespace tocuda {
namespace {

std::optional<double> middle(const std::vector<Round>& rounds, double Round::* side) {
    std::vector<double> seconds;
    for (const auto& round : rounds) seconds.push_back(round.*side);
    return seconds.empty() ? std::nullopt : std::optional(median(seconds));
}

ChangeReport report_of(const Against& against) {
    std::vector<PairedRow> rows;
    for (const auto& pair : against.pairs) rows.push_back(pair.rounds);
    const auto changes = compare_pairs(rows);
    ChangeReport report;
    report.by_rounds = true;
    report.before = {.files = 1, .starts = 1, .runs = {{against.run, {}}}};
    report.after = report.before;
    for (std::size_t row = 0; row < rows.size(); ++row) {
        const auto& judged = rows[row].fresh.empty() ? rows[row].first : rows[row].fresh;
        report.rows.push_back({.row = against.pairs[row].name,
                               .change = changes[row],
                               .seconds_before = middle(judged, &Round::before),
                               .seconds_after = middle(judged, &Round::after)});
    }
    return report;
}

int code_of(const ChangeReport& report, bool strict) {
    const auto any = [&](ChangeVerdict verdict) {
        return std::any_of(report.rows.begin(), report.rows.end(),
                           [&](const AnsweredRow& one) { return one.change.verdict == verdict; });
    };
    if (any(ChangeVerdict::slower)) return finding;
    const bool none_counts = std::all_of(report.rows.begin(), report.rows.end(), [](const AnsweredRow& one) {
        return one.change.verdict == ChangeVerdict::invalid;
    });
    if (none_counts) return nothing_done;
    return strict && any(ChangeVerdict::undecided) ? undecided : as_expected;
}

}  // namespace

int report_against(const Against& against, const BenchRequest& options) {
    const auto report = report_of(against);
    const auto& [run, other, file, other_file, pairs, rows, complete] = against;
    if (options.json) {
        const RecordedRun ours{
            run, {file}, complete ? "complete" : "interrupted", measured_run(summaries(rows, run.gpus)), {}};
        print_document(against_document(ours, {other.folder.string(), other_file, other.build}, report));
        return code_of(report, options.strict);
    }
    const auto paper = paper_for_stdout();
    const auto old_words = fmt::format("old: {} in {}", version_text(other.build), other.folder.string());
    fmt::print("{}\n", wrap(old_words, 0, 2, paper.columns()));
    fmt::print("{}\n\n", wrap(fmt::format("new: {}, this one", version_text(this_build())), 0, 2, paper.columns()));
    fmt::print("{}\n{}\n", change_table(report, true, paper), total_words(report));
    fmt::print("{}recorded in {}\n        and {}\n", complete ? "" : not_whole, file, other_file);
    return code_of(report, options.strict);
}

}  // namespace tocuda
