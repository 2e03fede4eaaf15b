// tocuda, Apache-2.0.
// The estimated time of what BenchRounds has yet to measure, and what is left out where it is too long.
#include <algorithm>
#include <utility>

#include "execution/bench_rounds.hpp"

namespace tocuda {

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

Forecast BenchRounds::forecast() const {
    Forecast forecast;
    std::set<std::string> benchmarks;
    std::vector<std::size_t> in_part;
    double in_time = 0;
    for (const auto unit : in_order_of_groups()) {
        if (states[unit].dropped) continue;
        std::size_t most = 0;  // the largest number of sets that one round has left
        for (int round = rules.first; round < rules.first + least_of(unit); ++round) {
            const auto sets = open_sets(unit, round).size();
            most = std::max(most, sets);
            if (sets > 0) forecast.processes += units[unit].at_once ? units[unit].gpus.size() : 1;
        }
        if (most == 0) continue;
        benchmarks.insert(units[unit].sweep->benchmark.name);
        forecast.least = std::max(forecast.least, least_of(unit));
        forecast.may_take_more |= rules.most > rules.least && units[unit].sweep->benchmark.processes == 0;
        forecast.sets += most;
        const double seconds = seconds_of_least_rounds(unit);
        forecast.seconds += seconds;
        if (limit.seconds > 0 && in_time + seconds > limit.seconds) {
            in_part.push_back(unit);
            continue;
        }
        in_time += seconds;
        forecast.sets_in_time += most;
    }
    for (const auto unit : in_part) {
        const auto part = part_that_fits(unit, limit.seconds - in_time);
        in_time += part.seconds;
        forecast.sets_in_time += part.sets.size();
    }
    forecast.benchmarks = benchmarks.size();
    return forecast;
}

}  // namespace tocuda
