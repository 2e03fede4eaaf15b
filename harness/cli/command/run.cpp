// tocuda, Apache-2.0.
// `tocuda run`: runs scenarios, judges and records them, and prints a table.
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "command/request_options.hpp"
#include "execution/recording.hpp"
#include "json_lines/documents.hpp"
#include "printing/verdict_table.hpp"
#include "process/child.hpp"
#include "terminal/complaint.hpp"
#include "terminal/paper.hpp"
#include "terminal/this_rank.hpp"

namespace tocuda {
namespace {

// Rank 0 prints the table; the other ranks print their unexpected claims and the name of their file.
void report_rank(const RunRecording& recording, const Tally& totals, const Statements& statements) {
    std::istringstream lines(unexpected_claims(recording.rows, statements, Paper(false)));
    for (std::string line; std::getline(lines, line);) complain(line);
    fmt::print("{}: {}; recorded in {}\n", fleet_text(*recording.run.fleet), totals_line(totals), recording.file);
}

// Those of `these` that have a verdict, after words that say why it may be another one.
std::string seen_in_part(const char* why, const Tally& totals, const std::set<std::string>& these) {
    std::vector<std::string> partly;
    for (const auto& claim : totals.claims)
        if (these.contains(claim.id) && claim.verdict != Verdict::skipped) partly.push_back(claim.id);
    constexpr std::size_t most = 8;
    if (partly.empty()) return "";
    const auto more = partly.size() > most ? fmt::format(" and {} more", partly.size() - most) : "";
    partly.resize(std::min(partly.size(), most));
    return fmt::format("{}: {}{}\n", why, fmt::join(partly, " "), more);
}

// Of scenarios that were chosen, other claims are decided by a part of what decides them; so are those of which a
// variant was skipped.
std::string claims_seen_in_part(const Catalogue& catalogue, const Tally& totals, const std::vector<Row>& rows,
                                bool chosen) {
    std::set<std::string> ran, skipped, others;
    for (const auto& row : rows) {
        ran.insert(row.name);
        for (const auto& claim : row.claims)
            if (claim.verdict == Verdict::skipped) skipped.insert(claim.id);
    }
    for (const auto& worker : catalogue.workers)
        for (const auto& scenario : worker.scenarios)
            for (const auto& claim : scenario.claims)
                if (chosen && !ran.contains(scenario.name)) others.insert(claim.id);
    return seen_in_part("Rows that were skipped decide these too", totals, skipped) +
           seen_in_part("Other scenarios decide these too, and did not run", totals, others);
}

void report(const RunRequest& request, const RunRecording& recording, const Tally& totals, const Catalogue& catalogue,
            double seconds) {
    const auto statements = statements_of(catalogue);
    if (!speaks()) return report_rank(recording, totals, statements);
    if (request.json) {
        const auto* status = recording.stopped ? "interrupted" : "complete";
        print_document(run_document({recording.run, {recording.file}, status, {}, recording.rows, statements}));
        return;
    }
    const auto paper = paper_for_stdout();
    const auto& rows = recording.rows;
    const bool everything =
        request.all || request.only || !request.patterns.empty();  // what was asked for by name is shown
    const auto screenful_of = paper.is_terminal() && !everything ? std::optional(recording.file) : std::nullopt;
    const auto unexpected = unexpected_claims(rows, statements, paper);
    fmt::print("{}\n{}\n\n{}{}{}recorded in {}\n{}{}", where_it_ran(recording.run, rows, seconds, paper),
               totals_text(rows, totals, paper), verdict_table(rows, statements, screenful_of, paper, request.only),
               claims_seen_in_part(catalogue, totals, rows, !request.patterns.empty()),
               recording.stopped ? not_whole : "", recording.file, unexpected.empty() ? "" : "\n", unexpected);
}

int exit_code(const RunRequest& request, const Tally& totals, bool troubled) {
    if (totals.unexpected > 0 || troubled) return finding;
    const auto skipped = totals.totals.find(Verdict::skipped);
    if (skipped != totals.totals.end() && skipped->second == static_cast<int>(totals.claims.size()))
        return nothing_done;
    return request.strict && totals.totals.contains(Verdict::inconclusive) ? undecided : as_expected;
}

bool warn_of_trouble(const Catalogue& catalogue) {
    bool troubled = false;
    for (const auto& worker : catalogue.workers) {
        if (!worker.unmet.empty()) complain(fmt::format("tocuda: {} {}", worker.name, worker.unmet));
        if (worker.trouble.empty()) continue;
        complain(fmt::format("tocuda: {} {}", worker.name, worker.trouble));
        troubled = true;
    }
    return troubled;
}

}  // namespace

int run_verb(const Words& words) {
    const auto request = parse_run(words);
    if (!request) return complain(request.error());
    try {
        const auto catalogue = load_catalogue(worker_folders(), request->quiet);
        const auto recording = record_run(*request, catalogue);
        if (!recording) return complain(recording.error());
        if (recording->stopped && recording->rows.empty()) return *recording->stopped;
        const auto totals = tally(recording->rows);
        const bool troubled = warn_of_trouble(catalogue) && request->patterns.empty();
        report(*request, *recording, totals, catalogue, now() - request->started);
        return recording->stopped ? *recording->stopped : exit_code(*request, totals, troubled);
    } catch (const RecordError& error) {
        return complain(Refusal{nothing_done, error.what()});
    }
}

}  // namespace tocuda
