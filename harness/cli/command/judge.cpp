// tocuda, Apache-2.0.
// `tocuda judge FILE...`: judges recorded evidence again, and summarises recorded measurements.
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "command/compared_files.hpp"
#include "execution/rejudging.hpp"
#include "imported/imported_file.hpp"
#include "json_lines/documents.hpp"
#include "json_lines/visible.hpp"
#include "model/words.hpp"
#include "printing/bench_table.hpp"
#include "printing/verdict_table.hpp"
#include "record/sections.hpp"
#include "request/catalogue.hpp"
#include "terminal/arguments.hpp"
#include "terminal/complaint.hpp"

namespace tocuda {
namespace {

// A line for each scenario and claim: the variants of one scenario change together.
std::string changed_verdicts(const std::vector<Judged>& judged) {
    std::map<std::string, std::string> variants;
    for (const auto& [was, is, asked, lacking] : judged) {
        if (!asked) continue;
        for (const auto& claim : is.claims) {
            const auto before = std::find_if(was->claims.begin(), was->claims.end(),
                                             [&](const ClaimVerdict& one) { return one.id == claim.id; });
            if (before != was->claims.end() && before->verdict == claim.verdict) continue;
            const auto old = before == was->claims.end() ? "not judged" : plain_word(before->verdict);
            auto& all =
                variants[fmt::format("{} {}: was {}, is {}", is.name, claim.id, old, plain_word(claim.verdict))];
            all += (all.empty() ? "" : ", ") + is.variant;
        }
    }
    std::string text;
    for (const auto& [change, of] : variants) text += fmt::format("  {} ({})\n", change, of);
    return text.empty() ? "" : "recorded otherwise:\n" + text;
}

// Judges the rows of all runs together, so that each worker is started once.
std::vector<Judged> judge_scenarios(const Catalogue& catalogue, const std::vector<RunSections>& sections,
                                    double seconds, std::vector<RecordedRun>& runs) {
    std::vector<const Row*> recorded;
    std::vector<std::size_t> run_of;
    for (std::size_t number = 0; number < sections.size(); ++number)
        for (const auto& place : sections[number])
            for (const auto& row : place.section->rows) {
                recorded.push_back(&row.row);
                run_of.push_back(number);
            }
    if (recorded.empty()) return {};
    auto judged = judge_again(catalogue, recorded, seconds, [](const Row& row) {
        complain(fmt::format("tocuda: no worker has {} {}; its recorded verdicts are kept", row.name, row.variant));
    });
    std::set<const Worker*> lacking;
    for (const auto& row : judged)
        if (row.lacking && lacking.insert(row.lacking).second)
            complain("tocuda: " + row.lacking->name +
                     " cannot judge; its recorded verdicts are kept: " + row.lacking->unmet);
    for (std::size_t i = 0; i < judged.size(); ++i) runs[run_of[i]].scenarios.push_back(judged[i].is);
    return judged;
}

std::string gpus_text(const std::vector<Gpu>& gpus) {
    auto text = joined(gpus, ", ", [](const auto& gpu) { return gpu.name.value_or("unnamed GPU"); });
    return text.empty() ? "no GPU" : text;
}

std::string measured_text(const RecordedRun& run, const Paper& paper) {
    if (run.measured.rows.empty()) return "";
    const auto& about = run.about;
    const auto where = fmt::format("{} {} on {}{}, {}: {}", is_dated_by_import(about) ? "imported" : "measured",
                                   about.time, about.device == Device::simulated ? "simulated GPUs: " : "",
                                   gpus_text(about.gpus), driver_words(about.driver), run.files.front());
    const auto findings = bench_findings(run.measured.rows, paper);
    return fmt::format("{}{}\n\n{}{}{}", about.device == Device::simulated ? paper.strong("SIMULATED") + ": " : "",
                       wrap(where, 11, 2, paper.columns()), bench_table(run.measured, paper),
                       findings.empty() ? "" : "\n", findings);
}

std::string verdicts_text(const std::vector<RecordedRun>& runs, const std::vector<Judged>& judged,
                          const Statements& statements, bool all, std::optional<Verdict> only, const Paper& paper) {
    std::string text;
    std::vector<std::string> files;
    std::vector<Row> rows;
    for (const auto& run : runs) {
        if (run.scenarios.empty()) continue;
        for (const auto& file : run.files) files.push_back(visible(file));
        text += where_it_ran(run.about, run.scenarios, 0, paper) + "\n";
        rows.insert(rows.end(), run.scenarios.begin(), run.scenarios.end());
    }
    if (rows.empty()) return "";
    const auto screenful_of =
        paper.is_terminal() && !all && !only ? std::optional(fmt::to_string(fmt::join(files, " "))) : std::nullopt;
    const auto unexpected = unexpected_claims(rows, statements, paper);
    return text + totals_text(rows, tally(rows), paper) + "\n\n" +
           verdict_table(rows, statements, screenful_of, paper, only) + changed_verdicts(judged) +
           (unexpected.empty() ? "" : "\n" + unexpected);
}

std::string incomplete_text(const std::vector<RecordedRun>& runs) {
    std::string text;
    for (const auto& run : runs)
        if (run.status != "complete") text += fmt::format("{}: {}", visible(run.files.front()), not_whole);
    return text;
}

void print_tables(const std::vector<RecordedRun>& runs, const std::vector<Judged>& judged, const Statements& statements,
                  bool all, std::optional<Verdict> only) {
    const auto paper = paper_for_stdout();
    std::string text;
    for (const auto& run : runs) {
        const auto measured = measured_text(run, paper);
        text += (text.empty() || measured.empty() ? "" : "\n") + measured;
    }
    const auto verdicts = verdicts_text(runs, judged, statements, all, only, paper);
    fmt::print("{}{}{}{}", text, text.empty() || verdicts.empty() ? "" : "\n", verdicts, incomplete_text(runs));
}

bool any_findings(const std::vector<RecordedRun>& runs) {
    return std::any_of(runs.begin(), runs.end(),
                       [](const RecordedRun& run) { return has_findings(run.measured.rows); });
}

}  // namespace

int judge_verb(const Words& words) {
    Arguments arguments("judge", "Judge recorded evidence again and summarise measurements.",
                        {"results/local/*.jsonl", "FILE --json"});
    std::vector<std::string> files;
    bool as_json = false;
    bool all = false;
    arguments.option("FILE", files, "result files or folders", Arguments::Presence::required);
    double seconds = 0;
    arguments.option("--timeout", seconds, "deadline of each row, in seconds", "S");
    arguments.flag("--all", all, "on a terminal: a line for every claim");
    std::string called;
    arguments.option("--verdict", called, "print only true, false, partly, open, skipped or broken", "VERDICT");
    arguments.flag("--json", as_json, "one document on stdout");
    if (const auto code = arguments.parse(words)) return *code;
    const auto only = verdict_called(called);
    if (!only) return arguments.refuse(only.error().what);
    if (*only && as_json) return arguments.refuse("--verdict chooses lines of the table: --json holds every claim");

    auto found = files_at(files);
    if (!found) return complain(usage, "tocuda: " + found.error().what);
    std::erase_if(*found, [&](const std::string& file) { return is_skipped(file, files); });
    const auto recordings = read_recordings(*found, files);
    if (!recordings) return complain(usage, "tocuda: " + recordings.error().what);
    for (const auto& recording : *recordings)
        for (const auto& warning : recording.warnings) complain("tocuda: " + warning);
    const auto sections = runs_of(*recordings);
    std::vector<RecordedRun> runs;
    for (const auto& run : sections) runs.push_back(recorded_run(run));
    const auto catalogue = load_catalogue(worker_folders());
    const auto judged = judge_scenarios(catalogue, sections, seconds, runs);
    const auto statements = statements_of(catalogue);
    for (auto& run : runs) run.statements = statements;
    std::vector<Row> rows;
    for (const auto& one : judged) rows.push_back(one.is);
    const auto totals = tally(rows);
    const bool nothing = rows.empty() && std::all_of(runs.begin(), runs.end(),
                                                     [](const RecordedRun& run) { return run.measured.rows.empty(); });
    if (as_json) print_document(judge_document(runs));
    else if (nothing) complain("tocuda: no rows in " + fmt::to_string(fmt::join(files, ", ")));
    else print_tables(runs, judged, statements, all, *only);
    if (nothing) return nothing_done;
    return totals.unexpected > 0 || any_findings(runs) ? finding : as_expected;
}

}  // namespace tocuda
