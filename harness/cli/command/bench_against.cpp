// tocuda, Apache-2.0.
// Measures six rounds of everything, then fourteen more of the rows that these did not prove the same, and reports.
#include "command/bench_against.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <deque>
#include <map>

#include "comparison_input/round_pairs.hpp"
#include "execution/bench_plan.hpp"
#include "execution/bench_work.hpp"
#include "execution/recording.hpp"
#include "json_lines/measurement_line.hpp"
#include "machine/uuid.hpp"
#include "printing/against_report.hpp"
#include "request/other_build.hpp"

namespace tocuda {
namespace {

enum class Whose : std::size_t { ours, theirs };

// The two result files, with the same numbers for rounds and processes.
class PairedFiles {
public:
    PairedFiles(const std::filesystem::path& folder, const RunLine& ours, const RunLine& theirs);

    // `pair` is the number of the two units that belong together.
    void take(Whose whose, std::size_t pair, MeasurementRow row);
    void end(const std::string& status);

    std::string path(Whose whose) const { return files.at(static_cast<std::size_t>(whose)).path().string(); }
    const std::vector<MeasurementRow>& rows(Whose whose) const { return measured.at(static_cast<std::size_t>(whose)); }

private:
    std::array<ResultFile, 2> files;
    std::array<std::vector<MeasurementRow>, 2> measured{};
    std::map<std::pair<std::size_t, int>, int> processes{};  // by pair and round
};

PairedFiles::PairedFiles(const std::filesystem::path& folder, const RunLine& ours, const RunLine& theirs)
    : files{ResultFile::create(folder, ours), ResultFile::create(folder, theirs)} {}

void PairedFiles::take(Whose whose, std::size_t pair, MeasurementRow row) {
    row.process = processes.try_emplace({pair, row.round}, static_cast<int>(processes.size())).first->second;
    const auto number = static_cast<std::size_t>(whose);
    files.at(number).append(to_line(row));
    measured.at(number).push_back(std::move(row));
}

void PairedFiles::end(const std::string& status) {
    for (auto& file : files) file.end(status);
}

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
        const bool known = std::ranges::any_of(pairs, [&](const PairedMeasurement& one) {
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
    Turns(const BenchRequest& what, const Place& where, const PlannedBench& plan, const PairedSweeps& both,
          const RunLine& line, const OtherBuild& other)
        : request(what), place(where), planned(plan), sweeps(both), engine(engine_settings(what, where, plan.plan)),
          files(what.output, line, line_of(line, other)) {}

    // Returns false if it was interrupted.
    bool run() {
        const auto& rules = *planned.plan.rules;
        auto ours = planned.units;
        for (auto& unit : ours)
            unit.sweep = &sweeps.ours.at(static_cast<std::size_t>(unit.sweep - planned.sweeps.data()));
        const auto units = paired_units(ours, sweeps);
        bool complete = rounds(units, rules.first, rules.least);
        if (complete)
            if (const auto open = units_to_ask_again(units); !open.empty())
                complete = rounds(open, rules.least + 1, rules.most);
        files.end(complete ? "complete" : "interrupted");
        return complete;
    }

    const PairedFiles& recorded() const { return files; }

private:
    bool rounds(const std::vector<BenchUnit>& units, int first, int last) {
        const auto& plan = planned.plan;
        auto rules = *plan.rules;
        rules.first = first;
        rules.least = rules.most = last;
        BenchRounds what(units, rules, *plan.protocol, plan.seed, {});
        BenchWork work(what, place, {*plan.protocol, request.jobs, plan.child_seconds, request.started, processes},
                       [&](std::size_t unit, const MeasurementRow& row) {
                           processes = std::max(processes, row.process + 1);
                           files.take(static_cast<Whose>(unit % 2), pair_of(units[unit]), row);
                       });
        return engine.run(work);
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
               place.line.gpus.at(static_cast<std::size_t>(unit.gpus[0])).uuid.value_or("") == gpu;
    }

    const BenchRequest& request;
    const Place& place;
    const PlannedBench& planned;
    const PairedSweeps& sweeps;
    Engine engine;
    PairedFiles files;
    std::deque<Sweep> narrowed;  // a deque, because units hold pointers into it
    std::map<std::pair<std::string, std::vector<int>>, std::size_t> pairs;
    int processes = 0;
};

OrExit<int> measure(const BenchRequest& request, const PairedSweeps& sweeps, const OtherBuild& other,
                    const Catalogue& catalogue) {
    if (const auto refused = why_not_recorded(request)) return tl::unexpected(*refused);
    const auto place = place_to_measure(request.where, sweeps.ours, false, catalogue, request.quiet);
    if (!place) return tl::unexpected(place.error());
    auto planned = plan_bench(request, *place, sweeps.ours, protocol_called(request.wanted.protocol));
    constexpr PairedRules paired;
    planned.plan.rules = RoundRules{.first = 1,
                                    .least = paired.first_rounds,
                                    .most = paired.first_rounds + paired.fresh_rounds,
                                    .settles = false,
                                    .pairs = true};
    planned.plan.budget_seconds = 0;
    if (!request.json) {
        fmt::print("{}\n\n", where_it_is_measured(*place));
        std::fflush(stdout);
    }
    const auto line = run_line_of(request, *place, "bench", planned.plan, nullptr);
    Turns turns(request, *place, planned, sweeps, line, other);
    bool complete = false;
    try {
        complete = turns.run();
    } catch (const RecordError& error) {
        return refuse(stopped_early, error.what());
    }
    leave(*place);
    const auto& files = turns.recorded();
    const auto code = report_against({line, other, files.path(Whose::ours), files.path(Whose::theirs), pairs_of(files),
                                      files.rows(Whose::ours), complete},
                                     request);
    if (!complete) return refuse(stopped_early, "stopped before the end; what was measured is in both files");
    return code;
}

}  // namespace

OrExit<int> bench_against(const BenchRequest& request, const Catalogue& catalogue) {
    const auto other = other_build(request.against);
    if (!other) return refuse(usage, "--against " + other.error().what);
    if (const auto ours = this_build(); other->build.protocol != ours.protocol)
        return refuse(usage, fmt::format("--against {}: it measures by protocol {}, this build by {}: the rows are not "
                                         "comparable",
                                         request.against, other->build.protocol, ours.protocol));
    const auto ours = sweeps_of(catalogue, request.wanted);
    if (!ours) return refuse(usage, ours.error().what);
    const auto theirs = sweeps_of(other->catalogue, request.wanted);
    if (!theirs) return refuse(nothing_done, fmt::format("--against {}: {}", request.against, theirs.error().what));
    const auto sweeps = paired_sweeps(*ours, *theirs);
    if (sweeps.ours.empty())
        return refuse(nothing_done, "--against " + request.against + ": it has no benchmark in common with this build");
    if (!sweeps.alone.empty() && !request.quiet)
        complain(
            fmt::format("tocuda: {} benchmarks skipped because only one of the builds measures them; the first: {}",
                        sweeps.alone.size(), sweeps.alone.front()));
    return measure(request, sweeps, *other, catalogue);
}

}  // namespace tocuda
