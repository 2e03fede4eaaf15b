// tocuda, Apache-2.0.
// The estimated time of what BenchRounds has yet to measure.
#include <algorithm>

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

Forecast BenchRounds::forecast() const {
    Forecast forecast;
    std::set<std::string> benchmarks;
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
        if (limit.seconds > 0 && in_time + seconds > limit.seconds) continue;
        in_time += seconds;
        forecast.sets_in_time += most;
    }
    forecast.benchmarks = benchmarks.size();
    return forecast;
}

}  // namespace tocuda
