// tocuda, Apache-2.0.
// `tocuda bench`: measures the requested benchmarks in fresh processes, records them and prints a table.
#include <fmt/core.h>

#include <sstream>

#include "command/bench_against.hpp"
#include "command/bench_place.hpp"
#include "command/bench_recording.hpp"
#include "command/bench_table.hpp"
#include "command/complaint.hpp"
#include "command/this_rank.hpp"
#include "lines/documents.hpp"
#include "process/time.hpp"
#include "record/result_file.hpp"
#include "summary/row_summary.hpp"

namespace tocuda {
namespace {

// Only rank 0 prints a table. Every other rank prints what went wrong and the name of its file.
void report_rank(const BenchRecording& recording) {
    const auto findings = bench_findings(recording.rows, Paper(false));
    std::istringstream lines(findings);
    for (std::string line; std::getline(lines, line);) complain(line);
    fmt::print("{}: recorded in {}\n", fleet_text(*recording.run.fleet), recording.file);
}

void report(const BenchOptions& options, const BenchRecording& recording) {
    const auto& [stopped, file, run, measured, rows, cut_short] = recording;
    if (!speaks()) return report_rank(recording);
    const auto summary = measured_run(rows);
    if (options.json) {
        fmt::print("{}\n", bench_document({run, {file}, stopped ? "interrupted" : "complete", summary, {}}));
        return;
    }
    const auto paper = paper_for_stdout();
    const auto findings = bench_findings(rows, paper);
    const auto cut = cut_short.empty() ? "" : wrap(cut_short, 0, 2) + "\n";
    fmt::print("{}\n{}{}{}{}recorded in {}\n", bench_table(summary, paper), findings, findings.empty() ? "" : "\n", cut,
               stopped ? not_whole : "", file);
}

}  // namespace

int bench_verb(const Words& words) {
    const auto started = now();
    auto parsed = parse_bench_options(words);
    if (const auto* code = std::get_if<int>(&parsed)) return *code;
    auto& options = std::get<BenchOptions>(parsed);
    const auto before = read_bench_before(options);
    if (const auto* wrong = std::get_if<std::string>(&before)) return complain(usage, "tocuda: " + *wrong);
    try {
        if (!options.against.empty()) return bench_against(options, words, started);
        const auto recording = record_bench(options, words, std::get<BenchBefore>(before), started);
        if (recording.file.empty() || (recording.stopped && recording.measured.empty())) return *recording.stopped;
        report(options, recording);
        return recording.stopped ? *recording.stopped : code_of(recording.rows);
    } catch (const RecordError& error) {
        return complain_of_bench(nothing_done, error.what());
    }
}

}  // namespace tocuda
