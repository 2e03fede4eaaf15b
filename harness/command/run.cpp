// tocuda, Apache-2.0.
// `tocuda run`: runs scenarios, judges and records them, and prints a table.
#include <fmt/core.h>

#include <sstream>

#include "command/complaint.hpp"
#include "command/paper.hpp"
#include "command/run_recording.hpp"
#include "command/this_rank.hpp"
#include "command/verdict_table.hpp"
#include "lines/documents.hpp"
#include "record/result_file.hpp"

namespace tocuda {
namespace {

// Rank 0 prints the table; the other ranks print their unexpected rows and the name of their file.
void report_rank(const RunRecording& recording, const Tally& totals) {
    std::istringstream lines(unexpected_rows(recording.rows, Paper(false)));
    for (std::string line; std::getline(lines, line);) complain(line);
    fmt::print("{}: {}; recorded in {}\n", fleet_text(*recording.run.fleet), totals_line(totals), recording.file);
}

void report(const RunOptions& options, const RunRecording& recording, const Tally& totals) {
    if (!speaks()) return report_rank(recording, totals);
    if (options.json) {
        const auto* status = recording.stopped ? "interrupted" : "complete";
        fmt::print("{}\n", run_document({recording.run, {recording.file}, status, {}, recording.rows}));
        return;
    }
    const auto paper = paper_for_stdout();
    fmt::print("{}\n{}{}\n{}recorded in {}\n", verdict_table(recording.rows, paper),
               unexpected_rows(recording.rows, paper), totals_line(totals), recording.stopped ? not_whole : "",
               recording.file);
}

int exit_code(const RunOptions& options, const Tally& totals, bool troubled) {
    if (totals.unexpected > 0 || troubled) return finding;
    const auto skipped = totals.totals.find(Verdict::skipped);
    if (skipped != totals.totals.end() && skipped->second == static_cast<int>(totals.claims.size()))
        return nothing_done;
    return options.strict && totals.totals.contains(Verdict::inconclusive) ? undecided : as_expected;
}

bool warn_of_trouble(const Catalogue& catalogue) {
    bool troubled = false;
    for (const auto& worker : catalogue.workers) {
        if (worker.trouble.empty()) continue;
        complain(fmt::format("tocuda: {} {}", worker.name, worker.trouble));
        troubled = true;
    }
    return troubled;
}

}  // namespace

int run_verb(const Words& words) {
    auto parsed = parse_run_options(words);
    if (const auto* code = std::get_if<int>(&parsed)) return *code;
    auto& options = std::get<RunOptions>(parsed);
    const auto before = read_run_before(options);
    if (const auto* wrong = std::get_if<std::string>(&before)) return complain(usage, "tocuda: " + *wrong);
    try {
        const auto catalogue = load_catalogue(worker_folders());
        const auto recording = record_run(options, words, std::get<RunBefore>(before), catalogue);
        if (recording.stopped && recording.rows.empty()) return *recording.stopped;
        const auto totals = tally(recording.rows);
        const bool troubled = warn_of_trouble(catalogue) && options.patterns.empty();
        report(options, recording, totals);
        return recording.stopped ? *recording.stopped : exit_code(options, totals, troubled);
    } catch (const RecordError& error) {
        return complain_of_run(nothing_done, error.what());
    }
}

}  // namespace tocuda
