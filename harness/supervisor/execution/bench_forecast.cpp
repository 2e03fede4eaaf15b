// tocuda, Apache-2.0.
// The estimated time of what BenchRounds has yet to measure, and what is left out where it is too long.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "execution/bench_rounds.hpp"

namespace tocuda {
namespace {

std::string why_too_long(double seconds, double left, double limit) {
    return fmt::format("takes about {:.0f} s, and {} of {:g} s are left", std::ceil(seconds),
                       left < 1 ? "less than 1 s" : fmt::format("{:.0f} s", std::floor(left)), limit);
}

}  // namespace

double BenchRounds::seconds_of(std::size_t unit, const std::vector<Parameters>& sets) const {
    return costs.seconds(unit, *units[unit].sweep, sets, units[unit].gpus.size());
}

int BenchRounds::least_of(std::size_t unit) const {
    const int asked = rules.least - rules.first + 1;
    const int most = units[unit].sweep->benchmark.processes;
    return most > 0 ? std::min(asked, most) : asked;
}

// The estimated time of the unit's missing processes, with as many in parallel as allowed.
double BenchRounds::seconds_of_least_rounds(std::size_t unit) const {
    double seconds = 0;
    for (int round = rules.first; round < rules.first + least_of(unit); ++round)
        if (const auto sets = open_sets(unit, round); !sets.empty()) seconds += seconds_of(unit, sets);
    return seconds / side_by_side(unit);
}

int BenchRounds::side_by_side(std::size_t unit) const {
    return units[unit].at_once ? 1 : std::max(1, limit.side_by_side);
}

std::vector<std::size_t> BenchRounds::in_order_of_groups() const {
    std::vector<std::size_t> order;
    for (const auto& group : groups) order.insert(order.end(), group.members.begin(), group.members.end());
    return order;
}

bool BenchRounds::is_unfinished(std::size_t unit, const SetState& set) const {
    return set.stop == Stop::going && std::ssize(set.rounds) < least_of(unit);
}

// The first of the unit's unfinished sets whose remaining rounds take no longer together, without those that are too
// long alone.
BenchRounds::Part BenchRounds::part_that_fits(std::size_t unit, double seconds) const {
    const auto& sets = states[unit].sets;
    const double rounds = std::min(least_of(unit), rules.least - current) / static_cast<double>(side_by_side(unit));
    const auto part_of = [&](const std::vector<std::size_t>& numbers) {
        std::vector<Parameters> chosen;
        for (const auto number : numbers) chosen.push_back(sets[number].set);
        return Part{{numbers.begin(), numbers.end()}, rounds * seconds_of(unit, chosen)};
    };
    std::vector<std::size_t> numbers;
    std::vector<std::size_t> ends{0};  // of families, which stay together
    for (auto& family : families_of(unit)) {
        std::erase_if(family, [&](std::size_t number) { return !is_unfinished(unit, sets[number]); });
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

// With fewer processes than the protocol requires there is no interval, so a benchmark that cannot get all of them in
// the time left is not started, and benchmarks that fit use the time. Repeated before each round, because processes may
// take longer than estimated. The first of which a process fits is always measured, so that there are some numbers.
void BenchRounds::leave_out_what_does_not_fit(double elapsed) {
    if (limit.seconds <= 0) return;
    double left = limit.seconds - elapsed;
    for (const auto unit : groups[at_group].members) {
        const double seconds = states[unit].dropped ? 0 : seconds_of_least_rounds(unit);
        if (seconds <= 0) continue;
        if (!first_unit && seconds_of(unit, open_sets(unit, current + 1)) <= left) first_unit = unit;
        const bool is_whole = seconds <= left || (unit == first_unit && !in_parts);
        const auto part = in_parts && !is_whole ? part_that_fits(unit, left) : Part{};
        for (std::size_t number = 0; number < states[unit].sets.size() && !is_whole; ++number)
            if (auto& set = states[unit].sets[number]; is_unfinished(unit, set) && !part.sets.contains(number))
                stop_for_time(set, seconds, left);
        left -= seconds_of_least_rounds(unit);
    }
}

// Processes may have been faster than estimated, and of a benchmark that does not fit some sets may.
bool BenchRounds::take_up_what_was_left_out() {
    if (!std::exchange(has_taken, false) || rules.pairs) return false;
    in_parts = true;
    bool any = false;
    for (std::size_t unit = 0; unit < units.size(); ++unit)
        for (auto& set : states[unit].sets)
            if (set.stop == Stop::budget && std::ssize(set.rounds) < least_of(unit) && !states[unit].dropped) {
                set.stop = Stop::going;
                any = true;
            }
    if (any) at_group = 0;
    return any;
}

UnitForecast BenchRounds::forecast_of(std::size_t unit) const {
    const auto& of = units[unit];
    UnitForecast forecast{.benchmark = of.sweep->benchmark.name,
                          .group = groups[group_of_unit[unit]].name,
                          .gpus = of.gpus,
                          .because = of.skipped};
    for (int round = rules.first; round < rules.first + least_of(unit); ++round) {
        const auto sets = open_sets(unit, round);
        if (sets.empty()) continue;
        forecast.sets = std::max(forecast.sets, sets.size());
        forecast.processes += of.at_once ? of.gpus.size() : 1;
        forecast.seconds += seconds_of(unit, sets) / side_by_side(unit);
    }
    return forecast;
}

// What fits whole comes first, then the parts of others that fit into the time that is left.
Forecast BenchRounds::forecast() const {
    Forecast forecast;
    std::set<std::string> benchmarks;
    std::vector<std::pair<std::size_t, std::size_t>> in_part;  // units, and their places in the forecast
    const auto take = [&](UnitForecast& one, std::size_t sets, std::size_t processes, double seconds) {
        one.sets_in_time = sets;
        forecast.sets_in_time += sets;
        forecast.processes_in_time += processes;
        forecast.seconds_in_time += seconds;
    };
    for (const auto unit : in_order_of_groups()) {
        auto one = forecast_of(unit);
        if (states[unit].dropped) forecast.skipped.push_back(one);
        if (states[unit].dropped || one.sets == 0) continue;
        const auto& benchmark = units[unit].sweep->benchmark;
        benchmarks.insert(benchmark.name);
        forecast.least = std::max(forecast.least, least_of(unit));
        forecast.may_take_more |= rules.most > rules.least && benchmark.processes == 0;
        forecast.sets += one.sets;
        forecast.processes += one.processes;
        forecast.seconds += one.seconds;
        const bool fits = limit.seconds <= 0 || forecast.seconds_in_time + one.seconds <= limit.seconds;
        if (fits) take(one, one.sets, one.processes, one.seconds);
        else in_part.emplace_back(unit, forecast.units.size());
        forecast.units.push_back(std::move(one));
    }
    for (const auto& [unit, place] : in_part) {
        auto& one = forecast.units[place];
        const double left = limit.seconds - forecast.seconds_in_time;
        one.because = why_too_long(one.seconds, left, limit.seconds);
        const auto part = part_that_fits(unit, left);
        take(one, part.sets.size(), part.sets.empty() ? 0 : one.processes, part.seconds);
    }
    forecast.benchmarks = benchmarks.size();
    return forecast;
}

}  // namespace tocuda
