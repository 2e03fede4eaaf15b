// tocuda, Apache-2.0.
#include "execution/bench_recording.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "execution/bench_plan.hpp"
#include "execution/bench_words.hpp"
#include "execution/bench_work.hpp"
#include "execution/recorded_run.hpp"
#include "json_lines/measurement_line.hpp"
#include "process/time.hpp"
#include "summary/row_summary.hpp"
#include "terminal/complaint.hpp"
#include "terminal/paper.hpp"
#include "terminal/quantities.hpp"
#include "terminal/this_rank.hpp"

namespace tocuda {
namespace {

// What is measured: from the request, from the file that is resumed, or from a plan that is repeated.
struct Goal {
    Sweeps sweeps{};
    std::size_t too_large = 0;  // parameter sets that are too large for simulated GPUs
    std::optional<FoundRun> before{};
};

// Prints the forecast above the table, or to stderr if stdout gets the JSON document.
void say_how_much(const BenchRounds& rounds, const BenchRequest& request, const Goal& goal) {
    if (!speaks()) return;
    const auto forecast = rounds.forecast();
    auto text = forecast.processes > 0 ? forecast_text(forecast, rounds.limit_seconds(), goal.sweeps.on_request.size(),
                                                       request.wanted.protocol == "quick")
                                       : "";
    const auto too_large = counted(static_cast<std::int64_t>(goal.too_large), "parameter set");
    if (goal.too_large > 0 && text.empty())
        text = fmt::format(
            "nothing to measure but {} above 256 MiB, which simulated GPUs measure only if --bytes asks for it, "
            "because "
            "they compute on the CPU; --bytes 64MiB measures a smaller one",
            too_large);
    else if (goal.too_large > 0)
        text +=
            fmt::format("; {} above 256 MiB only with --bytes, because simulated GPUs compute on the CPU", too_large);
    if (!request.json) fmt::print("{}\n", text.empty() ? "" : wrap(text, 0, 2) + "\n");
    else if (!request.quiet && !text.empty()) complain("tocuda: " + text);
    std::fflush(stdout);
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

void say_why_each_ended(std::vector<RowSummary>& rows, const BenchRounds& rounds, const std::vector<Gpu>& gpus) {
    for (auto& row : rows) {
        const auto unit = unit_of(row.benchmark, row.gpu, rounds.all(), gpus);
        auto asked = row.parameters;
        asked.erase(at_once_parameter);
        if (unit < rounds.all().size()) row.stopped = word(rounds.stop_of(unit, asked));
    }
}

// Takes a copy of the rounds because `take` changes them.
bool is_anything_missing(BenchRounds rounds, double elapsed) {
    for (std::size_t unit = 0; unit < rounds.all().size(); ++unit)
        if (!rounds.all()[unit].skipped.empty() && !rounds.sets_without_a_row(unit).empty()) return true;
    return rounds.take(elapsed).has_value() || !rounds.cut_short().empty();
}

bool chooses_bytes(const Wanted& wanted) {
    return std::ranges::any_of(wanted.choices, [](const ParameterChoice& choice) { return choice.name == "bytes"; });
}

OrExit<Goal> goal_of_request(const BenchRequest& request, const Catalogue& catalogue) {
    const auto sweeps = sweeps_of(catalogue, request.wanted);
    if (!sweeps) return refuse(usage, sweeps.error().what);
    if (const auto why = why_nothing_to_measure(*sweeps, request.wanted); !why.empty())
        return refuse(nothing_done, why);
    if (!sweeps->left_out.empty() && prints(request))
        complain(fmt::format("tocuda: skipped, without the chosen parameters or values: {}",
                             fmt::join(sweeps->left_out, ", ")));
    return Goal{.sweeps = *sweeps};
}

OrExit<Goal> goal_of_resumed(const BenchRequest& request, const Catalogue& catalogue) {
    auto before = last_run_of(request.resume, "bench");
    if (!before) return tl::unexpected(before.error());
    const auto& plan = *before->plan;
    if (!plan.rules || !plan.protocol) return refuse(usage, request.resume + ": its plan measures nothing");
    if (is_together(plan))
        return refuse(usage,
                      request.resume + ": measured with --together, which cannot be resumed: start a new measurement");
    if (plan.rules->pairs)
        return refuse(usage, request.resume + ": measured in turns with another build: start a new measurement");
    auto found = sweeps_of(plan, catalogue);
    if (!found.missing.empty()) return refuse(nothing_done, missing_text(request.resume, found.missing));
    return Goal{.sweeps = {std::move(found.sweeps)}, .before = std::move(*before)};
}

OrExit<Goal> goal_of_repetition(const Plan& again, const Catalogue& catalogue) {
    auto found = sweeps_of(again, catalogue);
    const auto missing = missing_text("the plan", found.missing);
    if (found.sweeps.empty()) return refuse(nothing_done, missing.empty() ? "the plan measures nothing" : missing);
    if (!missing.empty()) complain("tocuda: " + missing);
    return Goal{.sweeps = {std::move(found.sweeps)}};
}

// Returns the recorded plan, with the deadlines of this request.
OrExit<PlannedBench> resumed_plan(const BenchRequest& request, const Goal& goal, const Place& place) {
    const auto& before = *goal.before;
    const auto cannot = "cannot resume " + request.resume + ": ";
    if (const auto why = why_not_resumable(before, place); !why.empty()) return refuse(nothing_done, cannot + why);
    auto plan = *before.plan;
    if (const auto ours = protocol_called(plan.protocol->name); *plan.protocol != ours)
        return refuse(nothing_done,
                      fmt::format("{}it was measured by protocol {} of version {}, this build measures by "
                                  "{} of version {}",
                                  cannot, plan.protocol->name, plan.protocol->version, ours.name, ours.version));
    for (const auto& unit : plan.units)
        for (const int gpu : unit.gpus)
            if (gpu >= static_cast<int>(place.line.gpus.size()))
                return refuse(nothing_done, fmt::format("{}its plan uses GPU {}", cannot, gpu));
    plan.child_seconds = request.seconds;
    if (request.budget > 0) plan.budget_seconds = request.budget;
    auto sweeps = goal.sweeps.sweeps;
    auto units = units_of(plan, sweeps);
    return PlannedBench{std::move(plan), std::move(sweeps), std::move(units)};
}

PlannedBench new_plan(const BenchRequest& request, Goal& goal, const Place& place, const Plan* again) {
    const bool any_size = again || place.available.device != Device::simulated || chooses_bytes(request.wanted);
    const auto gpus = place.chosen_by_name ? place.chosen.size() : place.line.gpus.size();
    // With one GPU, the rows of a pair of two say what is missing.
    if (!again) remove_pairs_beyond(goal.sweeps, std::max<std::int64_t>(2, static_cast<std::int64_t>(gpus)));
    if (!any_size) goal.too_large = remove_sets_above(goal.sweeps, largest_simulated_bytes);
    return plan_bench(request, place, goal.sweeps.sweeps,
                      again ? *again->protocol : protocol_called(request.wanted.protocol));
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

BenchRounds rounds_of(const BenchRequest& request, const Place& place, const PlannedBench& planned) {
    const auto& plan = planned.plan;
    // Simulated GPUs are measured in parallel.
    const TimeLimit limit{plan.budget_seconds, processes_at_a_time(place, planned.units, request.jobs),
                          place.available.device == Device::simulated};
    return {planned.units, *plan.rules, *plan.protocol, plan.seed, limit};
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
    const auto planned =
        before ? resumed_plan(request, goal, *place) : OrExit<PlannedBench>(new_plan(request, goal, *place, again));
    if (!planned) return tl::unexpected(planned.error());
    if (prints(request)) fmt::print("{}\n", where_it_is_measured(*place));
    auto rounds = rounds_of(request, *place, *planned);
    BenchRecording recording;
    recording.file = request.resume;
    recording.run = run_line_of(request, *place, "bench", planned->plan, before ? &*before : nullptr);
    if (before) recording.measured = before->measurements();
    const auto& gpus = place->line.gpus;
    for (const auto& row : recording.measured)
        if (const auto unit = unit_of(row.benchmark, row.samples.gpu, planned->units, gpus);
            unit < planned->units.size())
            rounds.hear(unit, row.round, row.samples);
    say_how_much(rounds, request, goal);
    const bool missing = is_anything_missing(rounds, now() - request.started);
    if (before && !missing) complain("tocuda: nothing was missing from " + request.resume);
    if (!before || !before->ended() || missing) measure(request, *place, *planned, rounds, recording);
    leave(*place);
    recording.rows = summaries(recording.measured, gpus);
    say_why_each_ended(recording.rows, rounds, gpus);
    return recording;
}

}  // namespace

OrExit<BenchRecording> record_bench(const BenchRequest& request, const Catalogue& catalogue, const Plan* again) {
    for (const auto& worker : catalogue.workers)
        if (!worker.trouble.empty()) complain(fmt::format("tocuda: {} {}", worker.name, worker.trouble));
    auto goal = !request.resume.empty() ? goal_of_resumed(request, catalogue)
                : again                 ? goal_of_repetition(*again, catalogue)
                                        : goal_of_request(request, catalogue);
    if (!goal) return tl::unexpected(goal.error());
    return record_goal(request, catalogue, std::move(*goal), again);
}

}  // namespace tocuda
