// tocuda, Apache-2.0.
#include "command/bench_recording.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "command/bench_campaign.hpp"
#include "command/bench_place.hpp"
#include "command/bench_table.hpp"
#include "command/bench_units.hpp"
#include "command/bench_words.hpp"
#include "command/complaint.hpp"
#include "command/paper.hpp"
#include "command/quantities.hpp"
#include "command/resumable.hpp"
#include "command/this_rank.hpp"
#include "lines/measurement_line.hpp"
#include "machine/simulation_spec.hpp"
#include "process/time.hpp"
#include "record/result_file.hpp"
#include "record/sections.hpp"
#include "summary/row_summary.hpp"

namespace tocuda {
namespace {

double budget_of(const BenchOptions& options, const RunFacts& facts) {
    constexpr double quick_seconds = 60;
    constexpr double default_seconds = 480;
    if (options.budget > 0) return options.budget;
    if (options.wanted.protocol == "full") return 0;
    const auto gpus = options.together ? 1 : std::max<std::size_t>(1, facts.chosen.size());  // one after another
    return (options.wanted.protocol == "quick" ? quick_seconds : default_seconds) * static_cast<double>(gpus);
}

// Simulated GPUs are measured in parallel.
TimeLimit limit_of(const BenchOptions& options, const RunFacts& facts) {
    return {budget_of(options, facts), facts.available.device == Device::simulated ? options.jobs : 1};
}

// Prints the forecast above the table, or to stderr if stdout gets the JSON document.
void say_how_much(const BenchRounds& rounds, const BenchOptions& options, std::size_t left_out, std::size_t too_large) {
    if (!speaks()) return;
    const auto forecast = rounds.forecast();
    auto text = forecast.processes > 0 ? forecast_text(forecast, rounds.limit_seconds(), left_out) : "";
    if (too_large > 0)
        text += fmt::format("; {} above 256 MiB only with --bytes, because simulated GPUs compute on the CPU",
                            counted(static_cast<std::int64_t>(too_large), "parameter set"));
    if (!options.json) fmt::print("{}\n", text.empty() ? "" : wrap(text, 0, 2) + "\n");
    else if (!options.quiet && !text.empty()) complain("tocuda bench: " + text);
    std::fflush(stdout);
}

std::vector<BenchUnit> units_of(const Sweeps& sweeps, const BenchOptions& options, const RunFacts& facts) {
    if (options.together) return units_at_once(sweeps.sweeps, facts.chosen, facts.line.gpus);
    return bench_units(sweeps.sweeps, facts.chosen, chosen_by_name(facts, options), facts.line.gpus);
}

std::size_t unit_of(const std::string& benchmark, const std::string& gpu, const std::vector<BenchUnit>& units,
                    const std::vector<Gpu>& gpus) {
    for (std::size_t unit = 0; unit < units.size(); ++unit) {
        if (units[unit].sweep->benchmark.name != benchmark) continue;
        if (units[unit].gpus.size() != 1 || gpus.at(static_cast<std::size_t>(units[unit].gpus[0])).uuid == gpu)
            return unit;
    }
    return units.size();
}

std::string why_not_resumed(const BenchOptions& options, const BenchBefore& before, RunFacts& facts) {
    if (!before.run) return "";
    facts.line.resumes = before.run->run;
    if (const auto why = why_not_resumable(*before.run, facts.line); !why.empty())
        return "cannot resume " + options.resume + ": " + why;
    if (before.run->protocol != facts.line.protocol)
        return fmt::format(
            "cannot resume {}: it was measured by protocol {} of version {}, this build measures by {} of version {}",
            options.resume, before.run->protocol ? before.run->protocol->name : "none",
            before.run->protocol ? before.run->protocol->version : 0, facts.line.protocol->name,
            facts.line.protocol->version);
    return "";
}

// Measures into the file; sets `stopped` to the exit code if it did not complete.
void measure_into(ResultFile& file, BenchRounds& rounds, const BenchOptions& options, BenchSettings settings,
                  BenchRecording& recording) {
    const auto take = [&](std::size_t, const MeasurementRow& row) {
        file.append(to_line(row));
        recording.measured.push_back(row);
    };
    try {
        BenchCampaign campaign(rounds, std::move(settings), take);
        const bool complete = campaign.run();
        file.end(complete ? "complete" : "interrupted");
        if (complete)
            recording.cut_short = cut_short_text(rounds.cut_short(), rounds.least(), rounds.limit_seconds(),
                                                 options.together ? "" : file.path().string());
        if (!recording.cut_short.empty()) complain("tocuda bench: " + recording.cut_short);
        if (!complete)
            recording.stopped = complain_of_bench(
                stopped_early,
                "stopped before the end" +
                    (options.together ? "; a measurement with --together cannot be resumed"
                                      : "; continue with `tocuda bench --resume " + file.path().string() + "`"));
    } catch (const RecordError& error) {
        recording.stopped = complain_of_bench(stopped_early, error.what());
    }
}

void say_why_each_ended(std::vector<RowSummary>& rows, const BenchRounds& rounds, const std::vector<Gpu>& gpus) {
    for (auto& row : rows) {
        const auto unit = unit_of(row.benchmark, row.gpu, rounds.all(), gpus);
        auto asked = row.parameters;
        asked.erase(at_once_parameter);
        if (unit < rounds.all().size()) row.stopped = word(rounds.stop_of(unit, asked));
    }
}

BenchSettings settings_for(const BenchOptions& options, const RunFacts& facts, const BenchBefore& before,
                           double started) {
    BenchSettings settings{.protocol = *facts.line.protocol,
                           .seed = facts.line.seed,
                           .jobs = options.jobs,
                           .seconds = options.seconds,
                           .started = started,
                           .quiet = options.quiet || options.json || !speaks(),
                           .device = facts.available.device,
                           .simulation = facts.available.simulation,
                           .gpus = facts.line.gpus};
    for (const auto& row : before.rows) settings.first_process = std::max(settings.first_process, row.process + 1);
    return settings;
}

// Takes a copy of the rounds because `take` changes them.
bool is_anything_missing(BenchRounds rounds, double elapsed) {
    for (std::size_t unit = 0; unit < rounds.all().size(); ++unit)
        if (!rounds.all()[unit].skipped.empty() && !rounds.sets_without_a_row(unit).empty()) return true;
    return rounds.take(elapsed).has_value() || !rounds.cut_short().empty();
}

// Kernels of a simulated GPU run on the CPU: checking 1 GiB takes three seconds per process and would use up the budget.
constexpr std::int64_t largest_simulated_bytes = std::int64_t{256} << 20;

bool chooses_bytes(const Wanted& wanted) {
    return std::any_of(wanted.choices.begin(), wanted.choices.end(),
                       [](const ParameterChoice& choice) { return choice.name == "bytes"; });
}

BenchRecording record_sweeps(const BenchOptions& options, const Words& words, const BenchBefore& before, Sweeps sweeps,
                             const Catalogue& catalogue, double started) {
    if (options.resume.empty())
        if (const auto why = why_not_writable(options.output); !why.empty())
            return {.stopped = complain_of_bench(nothing_done, why)};
    auto facts = gather_run_facts("bench", words, catalogue);
    if (const auto code = choose_place(facts, options, sweeps.sweeps)) return {.stopped = *code};
    facts.line.protocol = protocol_called(options.wanted.protocol);
    facts.line.seed = static_cast<std::uint64_t>(options.seed);
    if (const auto why = why_not_resumed(options, before, facts); !why.empty())
        return {.stopped = complain_of_bench(nothing_done, why)};
    if (!options.json && speaks()) fmt::print("{}\n", where_it_is_measured(facts));
    const auto too_large = facts.available.device == Device::simulated && !chooses_bytes(options.wanted)
                               ? remove_sets_above(sweeps, largest_simulated_bytes)
                               : 0;
    const auto units = units_of(sweeps, options, facts);
    BenchRounds rounds(units, *facts.line.protocol, facts.line.seed, limit_of(options, facts));
    for (const auto& row : before.rows)
        if (const auto unit = unit_of(row.benchmark, row.samples.gpu, units, facts.line.gpus); unit < units.size())
            rounds.hear(unit, row.round, row.samples);
    say_how_much(rounds, options, sweeps.on_request.size(), too_large);
    BenchRecording recording{
        .stopped = {}, .file = options.resume, .run = facts.line, .measured = before.rows, .rows = {}, .cut_short = {}};
    const bool missing = is_anything_missing(rounds, now() - started);
    if (before.run && !missing) complain(fmt::format("tocuda bench: nothing was missing from {}", options.resume));
    if (!before.ended || missing) {
        auto file = before.run ? ResultFile::resume(options.resume, facts.line)
                               : ResultFile::create(options.output, facts.line);
        recording.file = file.path().string();
        measure_into(file, rounds, options, settings_for(options, facts, before, started), recording);
    }
    end_session_of(facts);
    recording.rows = summaries(recording.measured, facts.line.gpus);
    say_why_each_ended(recording.rows, rounds, facts.line.gpus);
    return recording;
}

}  // namespace

std::variant<BenchBefore, std::string> read_bench_before(BenchOptions& options) {
    if (options.resume.empty()) return BenchBefore{};
    auto read = read_recording(options.resume);
    if (const auto* wrong = std::get_if<Unreadable>(&read)) return wrong->what;
    BenchBefore before;
    for (const auto& section : std::get<Recording>(read).sections) {
        if (section.run.verb != "bench") return options.resume + ": recorded by `tocuda " + section.run.verb + "`";
        if (!before.run) {
            const auto first = recorded_bench_options(section.run);
            if (!first) return options.resume + ":1: the recorded command line cannot be parsed";
            if (first->together)
                return options.resume + ": measured with --together, which cannot be resumed: start a new measurement";
            if (!first->against.empty())
                return options.resume + ": measured in turns with another build: start a new measurement";
            options = resumed(*first, options);
        }
        before.run = section.run;
        before.ended = section.end.has_value();
        for (const auto& row : section.measurements) before.rows.push_back(row.row);
    }
    return before;
}

BenchRecording record_bench(const BenchOptions& options, const Words& words, const BenchBefore& before,
                            double started) {
    if (const auto spec = parse_simulation(options.simulate); !options.simulate.empty() && !spec)
        return {.stopped = complain_of_bench(usage, spec.wrong)};
    const auto catalogue = load_catalogue(worker_folders());
    for (const auto& worker : catalogue.workers)
        if (!worker.trouble.empty()) complain(fmt::format("tocuda: {} {}", worker.name, worker.trouble));
    const auto found = sweeps_of(catalogue, options.wanted);
    if (const auto* wrong = std::get_if<std::string>(&found)) return {.stopped = complain_of_bench(usage, *wrong)};
    const auto& sweeps = std::get<Sweeps>(found);
    if (const auto why = why_nothing_to_measure(sweeps, options.wanted); !why.empty())
        return {.stopped = complain_of_bench(nothing_done, why)};
    if (!sweeps.left_out.empty() && !options.quiet && !options.json && speaks())
        complain(fmt::format("tocuda bench: {} benchmarks skipped: they have none of the chosen values",
                             sweeps.left_out.size()));
    return record_sweeps(options, words, before, sweeps, catalogue, started);
}

int code_of(const std::vector<RowSummary>& rows) {
    if (has_findings(rows)) return finding;
    const bool any =
        std::any_of(rows.begin(), rows.end(), [](const RowSummary& row) { return row.status == Status::ok; });
    return any ? as_expected : nothing_done;
}

}  // namespace tocuda
