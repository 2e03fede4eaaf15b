// tocuda, Apache-2.0.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "execution/bench_goal.hpp"
#include "execution/bench_plan.hpp"
#include "execution/bench_words.hpp"
#include "execution/bench_work.hpp"
#include "execution/recorded_run.hpp"
#include "execution/recording.hpp"
#include "json_lines/lines.hpp"
#include "process/child.hpp"
#include "summary/row_summary.hpp"
#include "terminal/complaint.hpp"
#include "terminal/paper.hpp"
#include "terminal/quantities.hpp"
#include "terminal/this_rank.hpp"

namespace tocuda {
namespace {

// Prints the forecast above the table, or to stderr if stdout gets the JSON document.
void say_how_much(const BenchRounds& rounds, const BenchRequest& request, const Goal& goal) {
    if (!speaks()) return;
    const auto forecast = rounds.forecast();
    auto text = forecast.processes > 0 ? forecast_text(forecast, rounds.limit_seconds(), goal.sweeps.on_request.size(),
                                                       request.wanted.protocol == "quick")
                                       : "";
    if (goal.lowered > 0 && !text.empty())
        text += fmt::format(
            "; {} above 256 MiB measured at 64 MiB instead, because simulated GPUs compute on the CPU; bytes=1GiB "
            "measures 1 GiB anyway",
            counted(static_cast<std::int64_t>(goal.lowered), "parameter set"));
    if (!request.json) fmt::print("{}\n", text.empty() ? "" : wrap(text, 0, 2) + "\n");
    else if (!request.quiet && !text.empty()) complain("tocuda: " + text);
    std::fflush(stdout);
}

void say_why_each_ended(std::vector<RowSummary>& rows, const BenchRounds& rounds, const UnitOfRow& unit_of) {
    for (auto& row : rows) {
        auto asked = row.parameters;
        asked.erase(at_once_parameter);
        asked.erase(neighbour_parameter);
        if (const auto unit = unit_of(row.benchmark, row.gpu)) row.stopped = word(rounds.stop_of(*unit, asked));
    }
}

bool is_anything_missing(BenchRounds& rounds, double elapsed) {
    for (std::size_t unit = 0; unit < rounds.all().size(); ++unit)
        if (!rounds.all()[unit].skipped.empty() && !rounds.sets_without_a_row(unit).empty()) return true;
    return rounds.has_next(elapsed) || !rounds.cut_short().empty();
}

std::size_t sets_to_measure(const BenchRounds& rounds) {
    std::size_t sets = 0;
    for (const auto& unit : rounds.all())
        if (unit.skipped.empty()) sets += unit.sweep->sets.size();
    return sets;
}

// Measures into the file.
void measure(const BenchRequest& request, const Place& place, const PlannedBench& planned, BenchRounds& rounds,
             BenchRecording& recording) {
    auto file = open_file(request, recording.run);
    recording.file = file.path().string();
    auto how = engine_settings(request, place, planned.plan);
    if (const auto ends_at = rounds.ends_at()) how.ends_at = request.started + *ends_at;
    Engine engine(std::move(how));
    BenchSettings settings{*planned.plan.protocol, request.jobs, planned.plan.child_seconds, request.started};
    for (const auto& row : recording.measured)
        settings.first_process = std::max(settings.first_process, row.process + 1);
    BenchWork work(rounds, place, settings, [&](std::size_t, const MeasurementRow& row) {
        file.append(to_line(row));
        recording.measured.push_back(row);
    });
    recording.stopped = run_into(file, engine, work,
                                 request.together ? "a measurement with --together cannot be resumed"
                                                  : "continue with `tocuda bench --resume " + recording.file + "`");
    if (recording.stopped) return;
    recording.cut_short = cut_short_text(rounds.cut_short(), sets_to_measure(rounds), rounds.least(),
                                         rounds.limit_seconds(), request.together ? "" : recording.file);
    if (!recording.cut_short.empty()) complain("tocuda: " + recording.cut_short);
}

OrExit<BenchRecording> record_goal(const BenchRequest& request, const Catalogue& catalogue, Goal goal,
                                   const Plan* again) {
    if (const auto refused = why_not_recorded(request)) return tl::unexpected(*refused);
    const auto& before = goal.before;
    const auto place = place_to_measure(before  ? before->plan->where
                                        : again ? again->where
                                                : request.where,
                                        goal.sweeps.sweeps, request.together, catalogue, request.quiet);
    if (!place) return tl::unexpected(place.error());
    const auto planned = plan_of(request, goal, *place, again);
    if (!planned) return tl::unexpected(planned.error());
    if (prints(request)) fmt::print("{}\n", where_it_is_measured(*place));
    // Simulated GPUs are measured in parallel.
    auto rounds = rounds_of(*planned, {.seconds = planned->plan.budget_seconds,
                                       .side_by_side = processes_at_a_time(*place, planned->units, request.jobs),
                                       .simulated = place->available.device == Device::simulated});
    BenchRecording recording;
    recording.file = request.resume;
    recording.run = run_line_of(request, *place, "bench", planned->plan, before ? &*before : nullptr);
    if (before) recording.measured = before->measurements();
    const UnitOfRow unit_of(rounds.all(), place->line.gpus);
    hear(rounds, recording.measured, unit_of);
    say_how_much(rounds, request, goal);
    const bool missing = is_anything_missing(rounds, now() - request.started);
    if (before && !missing) complain("tocuda: nothing was missing from " + request.resume);
    if (!before || !before->ended() || missing) measure(request, *place, *planned, rounds, recording);
    leave(*place);
    recording.rows = summaries(recording.measured, place->line.gpus);
    say_why_each_ended(recording.rows, rounds, unit_of);
    return recording;
}

}  // namespace

OrExit<BenchRecording> record_bench(const BenchRequest& request, const Catalogue& catalogue, const Plan* again) {
    for (const auto& worker : catalogue.workers)
        if (!worker.trouble.empty()) complain(fmt::format("tocuda: {} {}", worker.name, worker.trouble));
    auto goal = goal_of(request, catalogue, again);
    if (!goal) return tl::unexpected(goal.error());
    return record_goal(request, catalogue, std::move(*goal), again);
}

}  // namespace tocuda
