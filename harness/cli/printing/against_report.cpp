// tocuda, Apache-2.0.
#include "printing/against_report.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "json_lines/build_line.hpp"
#include "json_lines/documents.hpp"
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

ChangeReport report_of(const InTurns& against) {
    std::vector<PairedRow> rows;
    for (const auto& pair : against.pairs) rows.push_back(pair.rounds);
    const auto changes = compare_pairs(rows);
    ChangeReport report;
    report.by_rounds = true;
    report.before = {.files = 1, .starts = 1, .runs = {{against.line, {}}}};
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

AgainstWords against_build(const OtherBuild& other) {
    return {.before = fmt::format("{} in {}", version_text(other.build), other.folder.string()),
            .after = fmt::format("{}, this one", version_text(this_build())),
            .what = {.folder = other.folder.string(), .build = other.build}};
}

AgainstWords against_libcuda(const std::string& folder, const LibcudaPair& libcuda) {
    const auto cuda = [](const std::string& version) { return version.empty() ? "" : " (CUDA " + version + ")"; };
    const auto same = libcuda.version == libcuda.installed
                          ? "; both have the same version, so that a change is one of their files, or chance"
                          : "";
    return {.before = fmt::format("libcuda {}{}, the installed one", libcuda.installed, cuda(libcuda.installed_cuda)),
            .after = fmt::format("libcuda {}{} on module {}, of {}", libcuda.version, cuda(libcuda.cuda),
                                 libcuda.module, folder),
            .says = libcuda_words(libcuda) + same,
            .what = {.folder = folder, .libcuda = libcuda}};
}

OrExit<int> report_against(const InTurns& measured, AgainstWords words, const BenchRequest& options) {
    const auto report = report_of(measured);
    const auto code = code_of(report, options.strict);
    if (options.json) {
        const RecordedRun ours{measured.line,
                               {measured.file},
                               measured.complete ? "complete" : "interrupted",
                               measured_run(summaries(measured.rows, measured.line.gpus)),
                               {}};
        words.what.file = measured.other_file;
        print_document(against_document(ours, words.what, report));
    } else {
        const auto paper = paper_for_stdout();
        const auto wrapped = [&](const std::string& text) { return wrap(text, 0, 2, paper.columns()); };
        fmt::print("{}\n{}\n\n", wrapped("old: " + words.before), wrapped("new: " + words.after));
        fmt::print("{}\n{}\n", change_table(report, true, paper), total_words(report));
        if (!words.says.empty()) fmt::print("{}\n", wrapped(words.says));
        fmt::print("{}recorded in {}\n        and {}\n", measured.complete ? "" : not_whole, measured.file,
                   measured.other_file);
    }
    if (!measured.complete) return refuse(stopped_early, "stopped before the end; what was measured is in both files");
    return code;
}

}  // namespace tocuda
