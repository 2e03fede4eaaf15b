// tocuda, Apache-2.0.
// `tocuda bench`: the benchmarks that were asked for, measured in fresh processes, recorded, and told in a table.
#include <fmt/core.h>

#include <algorithm>
#include <numeric>

#include "command/bench_campaign.hpp"
#include "command/bench_options.hpp"
#include "command/bench_table.hpp"
#include "command/bench_units.hpp"
#include "command/complaint.hpp"
#include "command/run_facts.hpp"
#include "comparison/row_summary.hpp"
#include "lines/documents.hpp"
#include "lines/measurement_line.hpp"
#include "machine/session.hpp"
#include "machine/simulation_spec.hpp"
#include "machine/utc.hpp"
#include "process/time.hpp"
#include "record/result_file.hpp"
#include "record/sections.hpp"

namespace tocuda {
namespace {

// What a measurement goes on from.
struct Before {
    std::vector<MeasurementRow> rows{};
    std::optional<RunLine> run{};
};

int complain(int code, const std::string& what) {
    ::tocuda::complain(fmt::format("tocuda bench: {}", what));
    return code;
}

// The rows of the file, and in `options` what its first section was asked for; or what is wrong with it.
std::variant<Before, std::string> read_before(BenchOptions& options) {
    if (options.resume.empty()) return Before{};
    auto read = read_recording(options.resume);
    if (const auto* wrong = std::get_if<Unreadable>(&read)) return wrong->what;
    Before before;
    for (const auto& section : std::get<Recording>(read).sections) {
        if (section.run.verb != "bench") return options.resume + ": it was made by `tocuda " + section.run.verb + "`";
        if (!before.run) {
            const Words words(section.run.command.begin() + std::min<std::ptrdiff_t>(2, std::ssize(section.run.command)), section.run.command.end());
            const auto first = parse_bench_options(words);
            const auto* was = std::get_if<BenchOptions>(&first);
            if (!was) return options.resume + ":1: its command line is not understood";
            options = resumed(*was, options);
        }
        before.run = section.run;
        for (const auto& row : section.measurements) before.rows.push_back(row.row);
    }
    return before;
}

// Where it is measured, or why not: on the GPU that was asked for, and on a simulated one only where that was asked for.
std::optional<int> choose_place(RunFacts& facts, const BenchOptions& options, const std::vector<Sweep>& sweeps) {
    const auto gpus = options.gpus == "all" ? "" : options.gpus;
    if (const auto wrong = choose_gpus(facts, options.simulate, options.simulate.empty(), gpus); !wrong.empty()) return complain(usage, wrong);
    if (facts.available.device == Device::none && needs_a_gpu(sweeps))
        return complain(nothing_done, fmt::format("no GPU to measure (found {}); two ways on: a driver and a GPU that CUDA can use on this machine, or "
                                                  "`tocuda bench --simulate 1xH200` for simulated ones", facts.available.found));
    if (options.gpus.empty() && facts.available.gpus > 0) facts.chosen = {0};
    if (options.gpus == "all") {
        facts.chosen.resize(facts.line.gpus.size());
        std::iota(facts.chosen.begin(), facts.chosen.end(), 0);
    }
    return std::nullopt;
}

// For the first line that a person sees.
std::string where_it_is_measured(const RunFacts& facts) {
    if (facts.available.device != Device::real) return where_it_runs(facts);
    std::string text;
    for (const int index : facts.chosen)
        for (const auto& gpu : facts.line.gpus)
            if (gpu.index == index) text += (text.empty() ? "on GPU " : "; GPU ") + std::to_string(index) + ": " + gpu.name.value_or("without a name");
    return wrap(text + "; driver " + facts.line.driver.kernel_module.value_or("unknown"), 0, 2);
}

double budget_of(const BenchOptions& options, const RunFacts& facts) {
    constexpr double quick_seconds = 60;
    constexpr double default_seconds = 480;
    if (options.budget > 0) return options.budget;
    if (options.wanted.protocol == "full") return 0;
    const auto gpus = std::max<std::size_t>(1, facts.chosen.size());  // one after another
    return (options.wanted.protocol == "quick" ? quick_seconds : default_seconds) * static_cast<double>(gpus);
}

std::size_t unit_of(const std::string& benchmark, const std::string& gpu, const std::vector<BenchUnit>& units, const std::vector<Gpu>& gpus) {
    for (std::size_t unit = 0; unit < units.size(); ++unit) {
        if (units[unit].sweep->benchmark.name != benchmark) continue;
        if (units[unit].gpus.size() != 1 || gpus.at(static_cast<std::size_t>(units[unit].gpus[0])).uuid == gpu) return unit;
    }
    return units.size();
}

std::string why_not_resumed(const BenchOptions& options, const Before& before, RunFacts& facts) {
    if (!before.run) return "";
    facts.line.resumes = before.run->run;
    if (const auto why = why_not_resumable(*before.run, facts.line); !why.empty()) return options.resume + " cannot be gone on with: " + why;
    if (before.run->protocol != facts.line.protocol) return options.resume + " cannot be gone on with: it was measured by another protocol";
    return "";
}

struct Measured {
    std::vector<MeasurementRow> rows;
    std::optional<int> stopped;
};

// Measures into the file; `stopped` is the exit code where it did not come to its end.
Measured measure_into(ResultFile& file, BenchRounds& rounds, BenchSettings settings, double budget, const Before& before) {
    Measured measured{before.rows, std::nullopt};
    const auto take = [&](const MeasurementRow& row) {
        file.append(to_line(row));
        measured.rows.push_back(row);
    };
    try {
        const auto started = settings.started;
        BenchCampaign campaign(rounds, std::move(settings), take);
        const bool complete = campaign.run();
        file.end(complete ? "complete" : "interrupted");
        if (complete && rounds.least_took_too_long())
            ::tocuda::complain(fmt::format("tocuda bench: the least number of processes, {} of each, took {:.0f} s: more than the {:.0f} s that there were for the whole",
                                           rounds.least(), now() - started, budget));
        if (!complete) measured.stopped = complain(stopped_early, "stopped before the end; `tocuda bench --resume " + file.path().string() + "` does the rest");
    } catch (const RecordError& error) {
        measured.stopped = complain(stopped_early, error.what());
    }
    return measured;
}

void say_why_each_ended(std::vector<RowSummary>& rows, const BenchRounds& rounds, const std::vector<Gpu>& gpus) {
    for (auto& row : rows) {
        const auto unit = unit_of(row.benchmark, row.gpu, rounds.all(), gpus);
        if (unit < rounds.all().size()) row.stopped = word(rounds.stop_of(unit, row.parameters));
    }
}

int report(const BenchOptions& options, const RunFacts& facts, const std::string& file, const Measured& measured, const BenchRounds& rounds) {
    auto rows = summaries(measured.rows, facts.line.gpus);
    say_why_each_ended(rows, rounds, facts.line.gpus);
    const auto fits = path_fits(rows);
    if (options.json) {
        fmt::print("{}\n", bench_document({facts.line.run, file, facts.line.device, rows, fits}));
    } else {
        const auto paper = paper_for_stdout();
        const auto findings = bench_findings(rows, paper);
        fmt::print("{}\n{}{}{}recorded in {}\n", bench_table(rows, fits, paper), findings, findings.empty() ? "" : "\n", measured.stopped ? not_whole : "", file);
    }
    if (measured.stopped) return *measured.stopped;
    if (has_findings(rows)) return finding;
    const bool any = std::any_of(rows.begin(), rows.end(), [](const RowSummary& row) { return row.status == Status::ok; });
    return any ? as_expected : nothing_done;
}

BenchSettings settings_for(const BenchOptions& options, const RunFacts& facts, const Before& before, double started) {
    BenchSettings settings{.protocol = *facts.line.protocol, .seed = facts.line.seed, .jobs = options.jobs, .seconds = options.seconds, .started = started,
                           .quiet = options.quiet || options.json, .device = facts.available.device, .simulation = facts.available.simulation, .gpus = facts.line.gpus};
    for (const auto& row : before.rows) settings.first_process = std::max(settings.first_process, row.process + 1);
    return settings;
}

int bench_selected(const BenchOptions& options, const Words& words, const Before& before, const Sweeps& sweeps, const Catalogue& catalogue, double started) {
    if (options.resume.empty())
        if (const auto why = why_not_writable(options.output); !why.empty()) return complain(nothing_done, why);
    auto facts = gather_run_facts("bench", words, catalogue);
    if (const auto code = choose_place(facts, options, sweeps.sweeps)) return *code;
    facts.line.protocol = protocol_called(options.wanted.protocol);
    facts.line.seed = static_cast<std::uint64_t>(options.seed);
    if (const auto why = why_not_resumed(options, before, facts); !why.empty()) return complain(nothing_done, why);
    if (!options.json) {
        fmt::print("{}\n\n", where_it_is_measured(facts));
        std::fflush(stdout);
    }
    const auto units = bench_units(sweeps.sweeps, facts.chosen, !options.gpus.empty(), facts.line.gpus);
    BenchRounds rounds(units, *facts.line.protocol, facts.line.seed, budget_of(options, facts));
    for (const auto& row : before.rows)
        if (const auto unit = unit_of(row.benchmark, row.samples.gpu, units, facts.line.gpus); unit < units.size()) rounds.hear(unit, row.round, row.samples);
    auto file = before.run ? ResultFile::resume(options.resume, facts.line) : ResultFile::create(options.output, facts.line);
    const auto measured = measure_into(file, rounds, settings_for(options, facts, before, started), budget_of(options, facts), before);
    end_session(utc_now());
    if (measured.stopped && measured.rows.empty()) return *measured.stopped;
    return report(options, facts, file.path().string(), measured, rounds);
}

int start(const BenchOptions& options, const Words& words, const Before& before, double started) {
    if (const auto spec = parse_simulation(options.simulate); !options.simulate.empty() && !spec) return complain(usage, spec.wrong);
    const auto catalogue = load_catalogue(worker_folders());
    for (const auto& worker : catalogue.workers)
        if (!worker.trouble.empty()) ::tocuda::complain(fmt::format("tocuda: {} {}", worker.name, worker.trouble));
    const auto found = sweeps_of(catalogue, options.wanted);
    if (const auto* wrong = std::get_if<std::string>(&found)) return complain(usage, *wrong);
    const auto& sweeps = std::get<Sweeps>(found);
    if (sweeps.sweeps.empty() && options.wanted.protocol == "quick") return complain(nothing_done, "none of these is part of --quick: leave it out, or give a benchmark's full name");
    if (sweeps.sweeps.empty()) return complain(nothing_done, "no worker here holds a benchmark: `tocuda list` says what is left out");
    if (!sweeps.left_out.empty() && !options.quiet && !options.json)
        ::tocuda::complain(fmt::format("tocuda bench: {} benchmarks have nothing of what was chosen and are left out", sweeps.left_out.size()));
    return bench_selected(options, words, before, sweeps, catalogue, started);
}

}  // namespace

int bench_verb(const Words& words) {
    const auto started = now();
    auto parsed = parse_bench_options(words);
    if (const auto* code = std::get_if<int>(&parsed)) return *code;
    auto& options = std::get<BenchOptions>(parsed);
    const auto before = read_before(options);
    if (const auto* wrong = std::get_if<std::string>(&before)) {
        ::tocuda::complain(fmt::format("tocuda: {}", *wrong));
        return usage;
    }
    try {
        return start(options, words, std::get<Before>(before), started);
    } catch (const RecordError& error) {
        return complain(nothing_done, error.what());
    }
}

}  // namespace tocuda
