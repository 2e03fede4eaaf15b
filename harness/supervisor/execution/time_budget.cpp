// tocuda, Apache-2.0.
#include "execution/time_budget.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace tocuda {
namespace {

std::string why_too_long(double seconds, double left, double limit) {
    return fmt::format("takes about {:.0f} s, and {} of {:g} s are left", std::ceil(seconds),
                       left < 1 ? "less than 1 s" : fmt::format("{:.0f} s", std::floor(left)), limit);
}

void take_in_time(Forecast& forecast, UnitForecast& one, std::size_t sets, std::size_t processes, double seconds) {
    one.sets_in_time = sets;
    forecast.sets_in_time += sets;
    forecast.processes_in_time += processes;
    forecast.seconds_in_time += seconds;
}

}  // namespace

TimeBudget::TimeBudget(std::span<const BenchUnit> measured, const RoundRules& how, const Protocol& protocol,
                       const TimeLimit& time)
    : units(measured), rules(how), limit(time), costs(protocol, time.simulated) {}

std::optional<double> TimeBudget::ends_at() const {
    return is_limited() ? std::optional(limit.seconds + grace_seconds_of_budget) : std::nullopt;
}

bool TimeBudget::allows(const Assignment& next, double elapsed) const {
    const auto& measured = next.asks ? std::vector<Parameters>{} : next.sets;
    return !is_limited() || elapsed + seconds_of(next.unit, measured) <= limit.seconds;
}

void TimeBudget::took(const Assignment& taken, const std::vector<Parameters>& measured, double seconds) {
    const auto& unit = units[taken.unit];
    costs.took(taken.unit, *unit.sweep, measured, seconds, unit.gpus.size());
}

double TimeBudget::seconds_of(std::size_t unit, const std::vector<Parameters>& sets) const {
    return costs.seconds(unit, *units[unit].sweep, sets, units[unit].gpus.size());
}

double TimeBudget::seconds_of_least(const MeasuredSets& sets, std::size_t unit) const {
    double seconds = 0;
    for (const auto& round : sets.least_rounds(unit)) seconds += seconds_of(unit, round);
    return seconds / side_by_side(unit);
}

int TimeBudget::side_by_side(std::size_t unit) const {
    return units[unit].at_once ? 1 : std::max(1, limit.side_by_side);
}

std::vector<Parameters> TimeBudget::worth_asking_about(const MeasuredSets& sets, std::size_t unit) const {
    constexpr double little = 0.25;
    std::vector<Parameters> long_ones;
    if (!is_limited() || sets.is_dropped(unit)) return long_ones;
    for (const auto& state : sets.of(unit)) {
        const double seconds = seconds_of(unit, {state.set});
        const bool is_too_long = seconds * sets.least(unit) / side_by_side(unit) > limit.seconds;
        if (state.stop == Stop::going && state.rounds.empty() && is_too_long && seconds_of(unit, {}) < little * seconds)
            long_ones.push_back(state.set);
    }
    return long_ones;
}

TimeBudget::Part TimeBudget::part_that_fits(const MeasuredSets& sets, std::size_t unit, int rounds_left,
                                            double seconds) const {
    const auto& states = sets.of(unit);
    const double rounds = std::min(sets.least(unit), rounds_left) / static_cast<double>(side_by_side(unit));
    const auto part_of = [&](const std::vector<std::size_t>& numbers) {
        std::vector<Parameters> chosen;
        for (const auto number : numbers) chosen.push_back(states[number].set);
        return Part{{numbers.begin(), numbers.end()}, rounds * seconds_of(unit, chosen)};
    };
    std::vector<std::size_t> numbers;
    std::vector<std::size_t> ends{0};  // of families, which stay together
    for (auto family : sets.order().families(unit)) {
        std::erase_if(family, [&](std::size_t number) { return !sets.is_unfinished(unit, states[number]); });
        if (family.empty() || part_of(family).seconds > seconds) continue;
        numbers.insert(numbers.end(), family.begin(), family.end());
        ends.push_back(numbers.size());
    }
    const auto first = [&](std::size_t end) {
        return part_of({numbers.begin(), numbers.begin() + std::ptrdiff_t(end)});
    };
    const auto too_long = std::partition_point(ends.begin() + 1, ends.end(),
                                               [&](std::size_t end) { return first(end).seconds <= seconds; });
    return too_long == ends.begin() + 1 ? Part{} : first(too_long[-1]);
}

UnitForecast TimeBudget::forecast_of(const MeasuredSets& sets, std::size_t unit) const {
    const auto& of = units[unit];
    UnitForecast forecast{.benchmark = of.sweep->benchmark.name, .gpus = of.gpus, .because = of.skipped};
    for (const auto& round : sets.least_rounds(unit)) {
        forecast.sets = std::max(forecast.sets, round.size());
        forecast.processes += of.at_once ? of.gpus.size() : 1;
        forecast.seconds += seconds_of(unit, round) / side_by_side(unit);
    }
    return forecast;
}

Forecast TimeBudget::forecast(const MeasuredSets& sets, const std::vector<BenchGroup>& groups, int rounds) const {
    Forecast forecast;
    std::set<std::string> benchmarks;
    std::vector<std::size_t> unit_of_each;  // in forecast.units
    for (const auto& group : groups)
        for (const auto unit : group.members) {
            auto one = forecast_of(sets, unit);
            one.group = group.name;
            if (sets.is_dropped(unit)) forecast.skipped.push_back(one);
            if (sets.is_dropped(unit) || one.sets == 0) continue;
            const auto& benchmark = units[unit].sweep->benchmark;
            benchmarks.insert(benchmark.name);
            forecast.least = std::max(forecast.least, sets.least(unit));
            forecast.may_take_more |= rules.most > rules.least && benchmark.processes == 0;
            forecast.sets += one.sets;
            forecast.processes += one.processes;
            forecast.seconds += one.seconds;
            if (!is_limited() || forecast.seconds_in_time + one.seconds <= limit.seconds)
                take_in_time(forecast, one, one.sets, one.processes, one.seconds);
            forecast.units.push_back(std::move(one));
            unit_of_each.push_back(unit);
        }
    add_parts(forecast, sets, unit_of_each, rounds);
    forecast.benchmarks = benchmarks.size();
    return forecast;
}

void TimeBudget::add_parts(Forecast& forecast, const MeasuredSets& sets, const std::vector<std::size_t>& unit_of_each,
                           int rounds) const {
    for (std::size_t each = 0; each < unit_of_each.size(); ++each) {
        auto& one = forecast.units[each];
        if (one.sets_in_time > 0) continue;
        const double left = limit.seconds - forecast.seconds_in_time;
        one.because = why_too_long(one.seconds, left, limit.seconds);
        const auto part = part_that_fits(sets, unit_of_each[each], rounds, left);
        take_in_time(forecast, one, part.sets.size(), part.sets.empty() ? 0 : one.processes, part.seconds);
    }
}

}  // namespace tocuda
