// tocuda, Apache-2.0.
// `tocuda run`: the scenarios that were asked for, run, judged, recorded, and told in a table.
#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "command/campaign.hpp"
#include "command/complaint.hpp"
#include "command/paper.hpp"
#include "command/run_facts.hpp"
#include "command/run_options.hpp"
#include "command/verdict_table.hpp"
#include "lines/documents.hpp"
#include "lines/row_line.hpp"
#include "machine/session.hpp"
#include "machine/simulation_spec.hpp"
#include "machine/utc.hpp"
#include "record/result_file.hpp"
#include "record/sections.hpp"

namespace tocuda {
namespace {

using Done = std::set<std::pair<std::string, std::string>>;

// What a run goes on from.
struct Before {
    std::vector<Row> rows{};
    std::optional<RunLine> run{};
};

int complain(int code, const std::string& what) {
    ::tocuda::complain(fmt::format("tocuda run: {}", what));
    return code;
}

std::variant<Before, std::string> read_before(RunOptions& options) {
    if (options.resume.empty()) return Before{};
    auto read = read_recording(options.resume);
    if (const auto* wrong = std::get_if<Unreadable>(&read)) return wrong->what;
    Before before;
    for (const auto& section : std::get<Recording>(read).sections) {
        if (!before.run) {
            const Words words(section.run.command.begin() + std::min<std::ptrdiff_t>(2, std::ssize(section.run.command)), section.run.command.end());
            const auto first = parse_run_options(words);
            if (const auto* was = std::get_if<RunOptions>(&first)) options.patterns = was->patterns;
        }
        before.run = section.run;
        for (const auto& row : section.rows) before.rows.push_back(row.row);
    }
    return before;
}

void say_where(const RunOptions& options, const RunFacts& facts) {
    if (options.json) return;
    fmt::print("{}\n\n", where_it_runs(facts));
    std::fflush(stdout);
}

void report(const RunOptions& options, const RunFacts& facts, const std::string& file, const std::vector<Row>& rows, const Tally& totals, bool whole) {
    if (options.json) {
        fmt::print("{}\n", run_document({facts.line.run, file, facts.line.device, rows, totals}));
        return;
    }
    const auto paper = paper_for_stdout();
    fmt::print("{}\n{}{}\n{}recorded in {}\n", verdict_table(rows, paper), unexpected_rows(rows, paper), totals_line(totals), whole ? "" : not_whole, file);
}

int exit_code(const RunOptions& options, const Tally& totals, bool troubled) {
    if (totals.unexpected > 0 || troubled) return finding;
    const auto skipped = totals.totals.find(Verdict::skipped);
    if (skipped != totals.totals.end() && skipped->second == static_cast<int>(totals.claims.size())) return nothing_done;
    return options.strict && totals.totals.contains(Verdict::inconclusive) ? undecided : as_expected;
}

// Runs the steps into the file; the exit code where it did not come to its end.
std::optional<int> run_into(ResultFile& file, const RunOptions& options, std::uint64_t seed, std::vector<Step> steps, std::vector<Row>& rows) {
    const auto take = [&](const Row& row) {
        file.append(to_line(row));
        rows.push_back(row);
    };
    try {
        Campaign campaign(std::move(steps), {options.jobs, options.seconds, options.quiet || options.json, options.gpus, seed}, take);
        const bool complete = campaign.run();
        file.end(complete ? "complete" : "interrupted");
        if (complete) return std::nullopt;
    } catch (const RecordError& error) {
        return complain(stopped_early, error.what());
    }
    return complain(stopped_early, "stopped before the end; `tocuda run --resume " + file.path().string() + "` does the rest");
}

bool warn_of_trouble(const Catalogue& catalogue) {
    bool troubled = false;
    for (const auto& worker : catalogue.workers) {
        if (worker.trouble.empty()) continue;
        ::tocuda::complain(fmt::format("tocuda: {} {}", worker.name, worker.trouble));
        troubled = true;
    }
    return troubled;
}

int run_selected(RunOptions& options, const Words& words, const Catalogue& catalogue, const Before& before) {
    const auto selection = select(catalogue, options.patterns);
    if (const auto* wrong = std::get_if<std::string>(&selection)) return complain(usage, *wrong);
    const auto& selected = std::get<std::vector<Selected>>(selection);
    if (selected.empty()) return complain(nothing_done, "no worker here holds a scenario: `tocuda list` says what is left out");
    if (options.resume.empty())
        if (const auto why = why_not_writable(options.output); !why.empty()) return complain(nothing_done, why);

    auto facts = gather_run_facts("run", words, catalogue);
    if (const auto wrong = choose_gpus(facts, options.simulate, options.real, options.gpus); !wrong.empty()) return complain(usage, wrong);
    if (before.run) {
        facts.line.resumes = before.run->run;
        if (const auto why = why_not_resumable(*before.run, facts.line); !why.empty())
            return complain(nothing_done, options.resume + " cannot be gone on with: " + why);
    }
    say_where(options, facts);
    auto steps = plan(selected, facts.available);
    std::erase_if(steps, [&](const Step& step) {
        return std::any_of(before.rows.begin(), before.rows.end(), [&](const Row& row) {
            return row.name == step.what.scenario->name && row.variant == step.variant->name;
        });
    });
    if (before.run && steps.empty()) ::tocuda::complain(fmt::format("tocuda run: nothing was missing in {}", options.resume));
    auto rows = before.rows;
    auto file = before.run ? ResultFile::resume(options.resume, facts.line) : ResultFile::create(options.output, facts.line);
    const auto stopped = run_into(file, options, facts.line.seed, std::move(steps), rows);
    end_session(utc_now());
    if (stopped && rows.empty()) return *stopped;
    const auto totals = tally(rows);
    const bool troubled = warn_of_trouble(catalogue) && options.patterns.empty();
    report(options, facts, file.path().string(), rows, totals, !stopped);
    return stopped ? *stopped : exit_code(options, totals, troubled);
}

}  // namespace

int run_verb(const Words& words) {
    auto parsed = parse_run_options(words);
    if (const auto* code = std::get_if<int>(&parsed)) return *code;
    auto& options = std::get<RunOptions>(parsed);
    const auto before = read_before(options);
    if (const auto* wrong = std::get_if<std::string>(&before)) {
        ::tocuda::complain(fmt::format("tocuda: {}", *wrong));
        return usage;
    }
    try {
        if (const auto spec = parse_simulation(options.simulate); !options.simulate.empty() && !spec) return complain(usage, spec.wrong);
        return run_selected(options, words, load_catalogue(worker_folders()), std::get<Before>(before));
    } catch (const RecordError& error) {
        return complain(nothing_done, error.what());
    }
}

}  // namespace tocuda
