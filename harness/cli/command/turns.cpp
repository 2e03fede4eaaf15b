// tocuda, Apache-2.0.
// Measures six rounds of everything, then fourteen more of the rows that these did not prove the same.
#include "command/turns.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <deque>
#include <map>

#include "comparison_input/paired_rows.hpp"
#include "execution/bench_work.hpp"
#include "execution/recording.hpp"
#include "json_lines/lines.hpp"

namespace tocuda {
namespace {

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

// One pair for each row that the first side has measured, in the order of their first appearance.
std::vector<PairedMeasurement> pairs_of(const PairedFiles& files, Whose older) {
    std::vector<PairedMeasurement> pairs;
    for (const auto& row : files.rows(Whose::ours)) {
        const bool known = std::ranges::any_of(pairs, [&](const PairedMeasurement& one) {
            return one.name.id == row.id && one.name.gpu == row.samples.gpu;
        });
        if (known) continue;
        const auto ours = rows_of(files.rows(Whose::ours), row);
        const auto theirs = rows_of(files.rows(Whose::theirs), row);
        PairedMeasurement pair{{}, older == Whose::ours ? pair_rounds(ours, theirs) : pair_rounds(theirs, ours)};
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

// A measurement of two sides in turns: its files and its progress.
class Turns {
public:
    Turns(const BenchRequest& what, const Place& where, const PlannedBench& plan, const PairedSweeps& both,
          const RunLine& line, const Sides& both_sides)
        : request(what), place(where), planned(plan), sweeps(both), sides(both_sides),
          engine(engine_settings(what, where, plan.plan)), files(what.output, line, both_sides.other(line)) {}

    // Returns false if it was interrupted.
    bool run() {
        const auto& rules = *planned.plan.rules;
        auto ours = planned.units;
        for (auto& unit : ours)
            unit.sweep = &sweeps.ours.at(static_cast<std::size_t>(unit.sweep - planned.sweeps.data()));
        auto units = paired_units(ours, sweeps);
        for (std::size_t unit = 0; unit < units.size(); ++unit) units[unit].driver = sides.drivers.at(unit % 2);
        bool complete = rounds(units, rules.first, rules.least);
        if (complete)
            if (const auto open = units_to_ask_again(units); !open.empty())
                complete = rounds(open, rules.least + 1, rules.most);
        files.end(complete ? "complete" : "interrupted");
        return complete;
    }

    const PairedFiles& recorded() const { return files; }
    std::vector<PairedMeasurement> pairs() const { return pairs_of(files, sides.older); }

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
        return numbers.try_emplace(name, numbers.size()).first->second;
    }

    // Units that hold only the sets which the first rounds did not prove the same.
    std::vector<BenchUnit> units_to_ask_again(const std::vector<BenchUnit>& units) {
        const auto measured = pairs();
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
    const Sides& sides;
    Engine engine;
    PairedFiles files;
    std::deque<Sweep> narrowed;  // a deque, because units hold pointers into it
    std::map<std::pair<std::string, std::vector<int>>, std::size_t> numbers;
    int processes = 0;
};

}  // namespace

OrExit<InTurns> measure_in_turns(const BenchRequest& request, const Place& place, const PairedSweeps& sweeps,
                                 const Sides& sides) {
    auto planned = plan_bench(request, place, sweeps.ours, protocol_called(request.wanted.protocol));
    constexpr PairedRules paired;
    planned.plan.rules = RoundRules{.first = 1,
                                    .least = paired.first_rounds,
                                    .most = paired.first_rounds + paired.fresh_rounds,
                                    .settles = false,
                                    .pairs = true};
    planned.plan.budget_seconds = 0;
    if (!request.json) {
        fmt::print("{}\n\n", where_it_is_measured(place));
        std::fflush(stdout);
    }
    InTurns measured{.line = run_line_of(request, place, "bench", planned.plan, nullptr)};
    Turns turns(request, place, planned, sweeps, measured.line, sides);
    try {
        measured.complete = turns.run();
    } catch (const RecordError& error) {
        return refuse(stopped_early, error.what());
    }
    leave(place);
    measured.file = turns.recorded().path(Whose::ours);
    measured.other_file = turns.recorded().path(Whose::theirs);
    measured.pairs = turns.pairs();
    measured.rows = turns.recorded().rows(Whose::ours);
    return measured;
}

}  // namespace tocuda
