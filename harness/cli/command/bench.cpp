// tocuda, Apache-2.0.
// `tocuda bench`: measures the requested benchmarks in fresh processes, records them and prints a table.
#include <fmt/core.h>

#include <algorithm>
#include <sstream>

#include "command/bench_against.hpp"
#include "command/request_options.hpp"
#include "execution/bench_goal.hpp"
#include "execution/recording.hpp"
#include "json_lines/documents.hpp"
#include "printing/bench_table.hpp"
#include "printing/forecast_table.hpp"
#include "summary/row_summary.hpp"
#include "terminal/complaint.hpp"
#include "terminal/paper.hpp"
#include "terminal/this_rank.hpp"

namespace tocuda {
namespace {

// Only rank 0 prints a table. Every other rank prints what went wrong and the name of its file.
void report_rank(const BenchRecording& recording) {
    const auto findings = bench_findings(recording.rows, Paper(false));
    std::istringstream lines(findings);
    for (std::string line; std::getline(lines, line);) complain(line);
    fmt::print("{}: recorded in {}\n", fleet_text(*recording.run.fleet), recording.file);
}

void report(const BenchRequest& request, const BenchRecording& recording) {
    if (!speaks()) return report_rank(recording);
    const auto& rows = recording.rows;
    const auto summary = measured_run(rows);
    if (request.json) {
        const auto* status = recording.stopped ? "interrupted" : "complete";
        print_document(bench_document({recording.run, {recording.file}, status, summary, {}, {}}));
        return;
    }
    const auto paper = paper_for_stdout();
    const auto findings = bench_findings(rows, paper);
    const auto cut = recording.cut_short.empty() ? "" : wrap(recording.cut_short, 0, 2, paper.columns()) + "\n";
    fmt::print("{}\n{}{}{}{}recorded in {}\n", bench_table(summary, paper), findings, findings.empty() ? "" : "\n", cut,
               recording.stopped ? not_whole : "", recording.file);
}

int forecast(const BenchRequest& request, const Catalogue& catalogue) {
    const auto made = forecast_bench(request, catalogue);
    if (!made) return complain(made.error());
    if (request.json) {
        print_document(forecast_document(made->forecast, made->device, made->budget_seconds));
        return as_expected;
    }
    const auto paper = paper_for_stdout();
    constexpr std::string_view no_gpu = "none: ";
    const auto where = made->where.starts_with(no_gpu)
                           ? fmt::format("the host alone ({})", made->where.substr(no_gpu.size()))
                           : made->where;
    const auto what = fmt::format(
        "forecast for {}, from what each benchmark is assumed to cost; nothing is measured: {}", where, made->text);
    fmt::print("{}\n\n{}\n{}\n", wrap(what, 0, 2, paper.columns()), forecast_table(made->forecast, paper),
               wrap("All of this is one start of the machine. It takes several, each a reboot or a reload of the "
                    "driver, to find a change of 1 % between drivers.",
                    0, 2, paper.columns()));
    return as_expected;
}

int code_of(const std::vector<RowSummary>& rows) {
    if (has_findings(rows)) return finding;
    const bool any = std::ranges::any_of(rows, [](const RowSummary& row) { return row.status == Status::ok; });
    return any ? as_expected : nothing_done;
}

}  // namespace

int bench_verb(const Words& words) {
    const auto request = parse_bench(words);
    if (!request) return complain(request.error());
    try {
        const auto catalogue = load_catalogue(worker_folders(), request->quiet);
        if (is_in_turns(*request)) {
            const auto code = request->against.empty() ? bench_against_driver(*request, catalogue)
                                                       : bench_against(*request, catalogue);
            return code ? *code : complain(code.error());
        }
        if (request->forecast) return forecast(*request, catalogue);
        const auto recording = record_bench(*request, catalogue);
        if (!recording) return complain(recording.error());
        if (recording->stopped && recording->measured.empty()) return *recording->stopped;
        report(*request, *recording);
        return recording->stopped ? *recording->stopped : code_of(recording->rows);
    } catch (const RecordError& error) {
        return complain(Refusal{nothing_done, error.what()});
    }
}

}  // namespace tocuda
