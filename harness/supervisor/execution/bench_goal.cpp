// tocuda, Apache-2.0.
#include "execution/bench_goal.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "execution/bench_words.hpp"
#include "execution/recording.hpp"
#include "terminal/complaint.hpp"

namespace tocuda {
namespace {

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
        return refuse(usage,
                      request.resume + ": measured in turns with another build or libcuda: start a new measurement");
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
    const bool any_size =
        again || request.forecast || place.available.device != Device::simulated || chooses_bytes(request.wanted);
    const auto gpus = place.chosen_by_name ? place.chosen.size() : place.line.gpus.size();
    // With one GPU, the rows of a pair of two say what is missing.
    if (!again) remove_pairs_beyond(goal.sweeps, std::max<std::int64_t>(2, static_cast<std::int64_t>(gpus)));
    if (!any_size) goal.lowered = lower_sets_above(goal.sweeps, largest_simulated_bytes, bytes_instead);
    return plan_bench(request, place, goal.sweeps.sweeps,
                      again ? *again->protocol : protocol_called(request.wanted.protocol));
}

}  // namespace

OrExit<Goal> goal_of(const BenchRequest& request, const Catalogue& catalogue, const Plan* again) {
    if (!request.resume.empty()) return goal_of_resumed(request, catalogue);
    return again ? goal_of_repetition(*again, catalogue) : goal_of_request(request, catalogue);
}

OrExit<PlannedBench> plan_of(const BenchRequest& request, Goal& goal, const Place& place, const Plan* again) {
    if (goal.before) return resumed_plan(request, goal, place);
    return new_plan(request, goal, place, again);
}

BenchRounds rounds_of(const PlannedBench& planned, const TimeLimit& limit) {
    const auto& plan = planned.plan;
    return {planned.units, *plan.rules, *plan.protocol, plan.seed, limit};
}

UnitOfRow::UnitOfRow(const std::vector<BenchUnit>& all, const std::vector<Gpu>& gpus) {
    for (std::size_t unit = 0; unit < all.size(); ++unit) {
        const auto& on = all[unit].gpus;
        const auto gpu = on.size() == 1 ? gpus.at(static_cast<std::size_t>(on[0])).uuid.value_or("") : "";
        units.try_emplace({all[unit].sweep->benchmark.name, gpu}, unit);
    }
}

std::optional<std::size_t> UnitOfRow::operator()(const std::string& benchmark, const std::string& gpu) const {
    auto found = units.find({benchmark, gpu});
    if (found == units.end()) found = units.find({benchmark, ""});
    return found == units.end() ? std::nullopt : std::optional(found->second);
}

void hear(BenchRounds& rounds, const std::vector<MeasurementRow>& measured, const UnitOfRow& unit_of) {
    for (const auto& row : measured)
        if (const auto unit = unit_of(row.benchmark, row.samples.gpu)) rounds.hear(*unit, row.round, row.samples);
}

namespace {

constexpr const char* without_gpu = "1xH200";

OrExit<Place> place_of_forecast(const BenchRequest& request, const Goal& goal, const Catalogue& catalogue) {
    auto where = goal.where(request, nullptr);
    const auto place_at = [&] {
        return place_to_measure(where, goal.sweeps.sweeps, request.together, catalogue, request.quiet);
    };
    auto place = place_at();
    if (place || place.error().code != nothing_done || where.real || !where.simulate.empty()) return place;
    where.simulate = without_gpu;
    return place_at();
}

}  // namespace

OrExit<BenchForecast> forecast_bench(const BenchRequest& request, const Catalogue& catalogue) {
    auto goal = goal_of(request, catalogue, nullptr);
    if (!goal) return tl::unexpected(goal.error());
    const auto place = place_of_forecast(request, *goal, catalogue);
    if (!place) return tl::unexpected(place.error());
    const auto planned = plan_of(request, *goal, *place, nullptr);
    if (!planned) return tl::unexpected(planned.error());
    const double budget = planned->plan.budget_seconds;
    auto rounds = rounds_of(*planned, {.seconds = budget});
    if (goal->before) hear(rounds, goal->before->measurements(), {rounds.all(), place->line.gpus});
    BenchForecast made{.device = place->available.device,
                       .where = place->available.found,
                       .budget_seconds = budget,
                       .forecast = rounds.forecast()};
    made.text =
        forecast_text(made.forecast, budget, goal->sweeps.on_request.size(), request.wanted.protocol == "quick");
    return made;
}

}  // namespace tocuda
