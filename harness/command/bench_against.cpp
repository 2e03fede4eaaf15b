// tocuda, Apache-2.0.
// Measures six rounds of everything, then fourteen more of the rows that these did not prove the same, and reports.
#include "command/bench_against.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <deque>

#include "command/against_report.hpp"
#include "command/bench_campaign.hpp"
#include "command/bench_place.hpp"
#include "command/bench_units.hpp"
#include "command/complaint.hpp"
#include "command/other_build.hpp"
#include "command/paired_files.hpp"
#include "command/paired_sweeps.hpp"
#include "gathering/round_pairs.hpp"
#include "machine/session.hpp"
#include "machine/simulation_spec.hpp"
#include "machine/utc.hpp"
#include "machine/uuid.hpp"

namespace tocuda {
namespace {

using Pointers = std::vector<const MeasurementRow*>;

Pointers rows_of(const std::vector<MeasurementRow>& rows, const MeasurementRow& like) {
    Pointers alike;
    for (const auto& row : rows)
        if (row.id == like.id && row.samples.gpu == like.samples.gpu) alike.push_back(&row);
    return alike;
}

// One pair for each row that this build has measured, in the order of their first appearance.
std::vector<PairedMeasurement> pairs_of(const PairedFiles& files) {
    std::vector<PairedMeasurement> pairs;
    for (const auto& row : files.rows(Whose::ours)) {
        const bool known = std::any_of(pairs.begin(), pairs.end(), [&](const PairedMeasurement& one) {
            return one.name.id == row.id && one.name.gpu == row.samples.gpu;
        });
        if (known) continue;
        const auto ours = rows_of(files.rows(Whose::ours), row);
        PairedMeasurement pair{{}, pair_rounds(rows_of(files.rows(Whose::theirs), row), ours)};
        pair.name = {.benchmark = row.benchmark,
                     .parameters = row.samples.parameters,
                     .id = row.id,
                     .device = row.device,
                     .clock = row.samples.clock,
                     .gpu = row.samples.gpu,
                     .peer = row.samples.peer,
                     .invalid = pair.rounds.invalid};
        pairs.push_back(std::move(pair));
    }
    return pairs;
}

RunLine line_of(const RunLine& ours, const OtherBuild& other) {
    auto line = ours;
    line.run = random_uuid();
    line.suite = other.build.suite;
    line.libtorch = {};
    for (const auto& worker : other.catalogue.workers)
        if (const auto version = worker.built_with.find("libtorch"); version != worker.built_with.end())
            line.libtorch.version = version->second;
    return line;
}

// A measurement of two builds in turns: its files and its progress.
class Turns {
public:
    Turns(const BenchOptions& what, const RunFacts& where, const PairedSweeps& both, const OtherBuild& other,
          double when)
        : options(what), facts(where), sweeps(both), started(when),
          files(options.output, facts.line, line_of(facts.line, other)) {}

    // Returns false if it was interrupted.
    bool run() {
        constexpr PairedRules paired;
        const auto units = paired_units(
            bench_units(sweeps.ours, facts.chosen, chosen_by_name(facts, options), facts.line.gpus), sweeps);
        bool complete = rounds(
            units,
            {.first = 1, .least = paired.first_rounds, .most = paired.first_rounds, .settles = false, .pairs = true});
        if (complete) {
            const auto open = units_to_ask_again(units);
            constexpr int last = paired.first_rounds + paired.fresh_rounds;
            if (!open.empty())
                complete = rounds(
                    open,
                    {.first = paired.first_rounds + 1, .least = last, .most = last, .settles = false, .pairs = true});
        }
        files.end(complete ? "complete" : "interrupted");
        return complete;
    }

    const PairedFiles& recorded() const { return files; }

private:
    bool rounds(const std::vector<BenchUnit>& units, const RoundRules& rules) {
        BenchRounds what(units, rules, *facts.line.protocol, facts.line.seed, {});
        BenchSettings settings{.protocol = *facts.line.protocol,
                               .seed = facts.line.seed,
                               .jobs = options.jobs,
                               .seconds = options.seconds,
                               .started = started,
                               .quiet = options.quiet || options.json,
                               .device = facts.available.device,
                               .simulation = facts.available.simulation,
                               .gpus = facts.line.gpus,
                               .first_process = processes};
        const auto take = [&](std::size_t unit, const MeasurementRow& row) {
            processes = std::max(processes, row.process + 1);
            files.take(static_cast<Whose>(unit % 2), pair_of(units[unit]), row);
        };
        return BenchCampaign(what, std::move(settings), take).run();
    }

    // The pair's number, the same in both parts of the measurement.
    std::size_t pair_of(const BenchUnit& unit) {
        const auto name = std::pair(unit.sweep->benchmark.name, unit.gpus);
        return pairs.try_emplace(name, pairs.size()).first->second;
    }

    // Units that hold only the sets which the first rounds did not prove the same.
    std::vector<BenchUnit> units_to_ask_again(const std::vector<BenchUnit>& units) {
        const auto measured = pairs_of(files);
        std::vector<PairedRow> rounds_of;
        for (const auto& one : measured) rounds_of.push_back(one.rounds);
        const auto carried = carried_on(rounds_of);
        std::vector<BenchUnit> open;
        for (std::size_t unit = 0; unit + 1 < units.size(); unit += 2) {
            std::vector<Parameters> sets;
            for (std::size_t row = 0; row < measured.size(); ++row) {
                const auto& name = measured[row].name;
                if (carried[row] && name.benchmark == units[unit].sweep->benchmark.name && is_on(name.gpu, units[unit]))
                    sets.push_back(name.parameters);
            }
            if (sets.empty()) continue;
            for (const auto side : {unit, unit + 1}) {
                auto again = units[side];
                narrowed.push_back({again.sweep->worker, again.sweep->benchmark, sets});
                again.sweep = &narrowed.back();
                open.push_back(std::move(again));
            }
        }
        return open;
    }

    bool is_on(const std::string& gpu, const BenchUnit& unit) const {
        return unit.gpus.size() != 1 ||
               facts.line.gpus.at(static_cast<std::size_t>(unit.gpus[0])).uuid.value_or("") == gpu;
    }

    const BenchOptions& options;
    const RunFacts& facts;
    const PairedSweeps& sweeps;
    double started;
    PairedFiles files;
    std::deque<Sweep> narrowed;  // a deque, because units hold pointers into it
    std::map<std::pair<std::string, std::vector<int>>, std::size_t> pairs;
    int processes = 0;
};

int measure(const BenchOptions& options, const Words& words, const PairedSweeps& sweeps, const OtherBuild& other,
            const Catalogue& catalogue, double started) {
    if (const auto why = why_not_writable(options.output); !why.empty()) return complain_of_bench(nothing_done, why);
    auto facts = gather_run_facts("bench", words, catalogue);
    if (const auto code = choose_place(facts, options, sweeps.ours)) return *code;
    facts.line.protocol = protocol_called(options.wanted.protocol);
    facts.line.seed = static_cast<std::uint64_t>(options.seed);
    if (!options.json) {
        fmt::print("{}\n\n", where_it_is_measured(facts));
        std::fflush(stdout);
    }
    Turns turns(options, facts, sweeps, other, started);
    bool complete = false;
    try {
        complete = turns.run();
    } catch (const RecordError& error) {
        return complain_of_bench(stopped_early, error.what());
    }
    end_session(facts.boot, utc_now());
    const Against against{facts.line,
                          other,
                          turns.recorded().path(Whose::ours),
                          turns.recorded().path(Whose::theirs),
                          pairs_of(turns.recorded()),
                          turns.recorded().rows(Whose::ours),
                          complete};
    const auto code = report_against(against, options);
    return complete ? code
                    : complain_of_bench(stopped_early, "stopped before the end; what was measured is in both files");
}

}  // namespace

int bench_against(const BenchOptions& options, const Words& words, double started) {
    if (const auto spec = parse_simulation(options.simulate); !options.simulate.empty() && !spec)
        return complain_of_bench(usage, spec.wrong);
    const auto found = other_build(options.against);
    if (const auto* wrong = std::get_if<std::string>(&found)) return complain_of_bench(usage, "--against " + *wrong);
    const auto& other = std::get<OtherBuild>(found);
    if (const auto ours = this_build(); other.build.protocol != ours.protocol)
        return complain_of_bench(
            usage,
            fmt::format("--against {}: it measures by protocol {}, this build by {}: the rows are not comparable",
                        options.against, other.build.protocol, ours.protocol));
    const auto catalogue = load_catalogue(worker_folders());
    const auto ours = sweeps_of(catalogue, options.wanted);
    if (const auto* wrong = std::get_if<std::string>(&ours)) return complain_of_bench(usage, *wrong);
    const auto theirs = sweeps_of(other.catalogue, options.wanted);
    if (const auto* wrong = std::get_if<std::string>(&theirs))
        return complain_of_bench(nothing_done, fmt::format("--against {}: {}", options.against, *wrong));
    const auto sweeps = paired_sweeps(std::get<Sweeps>(ours), std::get<Sweeps>(theirs));
    if (sweeps.ours.empty())
        return complain_of_bench(nothing_done,
                                 "--against " + options.against + ": it has no benchmark in common with this build");
    if (!sweeps.alone.empty() && !options.quiet)
        complain(fmt::format(
            "tocuda bench: {} benchmarks skipped because only one of the builds measures them; the first: {}",
            sweeps.alone.size(), sweeps.alone.front()));
    return measure(options, words, sweeps, other, catalogue, started);
}

}  // namespace tocuda
