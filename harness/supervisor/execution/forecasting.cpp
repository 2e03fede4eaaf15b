// tocuda, Apache-2.0.
#include "execution/forecasting.hpp"

#include "execution/bench_goal.hpp"
#include "execution/bench_words.hpp"

namespace tocuda {
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
