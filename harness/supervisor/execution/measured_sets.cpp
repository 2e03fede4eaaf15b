// tocuda, Apache-2.0.
#include "execution/measured_sets.hpp"

#include <algorithm>
#include <array>

#include "model/forecast.hpp"
#include "statistics/order_statistics.hpp"
#include "summary/validity.hpp"

namespace tocuda {
namespace {

bool is_settled(const MeasuredSets::State& set) {
    return !set.medians.empty() && std::ranges::all_of(set.medians, [](const auto& of_a_row) {
        const auto interval = median_interval(of_a_row.second);
        return interval && interval->relative_half_width(median(of_a_row.second)) <= settled_half_width;
    });
}

}  // namespace

std::string_view word(Stop stop) {
    constexpr std::array<std::string_view, 6> words{"going", "settled", "once", "budget", "processes", "ended"};
    return words.at(static_cast<std::size_t>(stop));
}

MeasuredSets::MeasuredSets(std::span<const BenchUnit> units, const RoundRules& how, std::uint64_t seed)
    : rules(how), in_order(units, seed, how.pairs) {
    const int asked = rules.least - rules.first + 1;
    for (const auto& unit : units) {
        const int most = unit.sweep->benchmark.processes;
        most_of_each.push_back(most);
        least_of_each.push_back(most > 0 ? std::min(asked, most) : asked);
        if (!unit.skipped.empty()) dropped.insert(states.size());
        auto& of_unit = states.emplace_back();
        for (const auto& set : unit.sweep->sets) of_unit.push_back({.set = set});
    }
}

MeasuredSets::State* MeasuredSets::find(std::size_t unit, const Parameters& set) {
    const auto found = std::ranges::find(of(unit), set, &State::set);
    return found == of(unit).end() ? nullptr : &*found;
}

void MeasuredSets::hear(std::size_t unit, int round, const Samples& samples, int neighbour) {
    auto* state = find(unit, samples.parameters);
    if (!state || is_cut_for_time(samples)) return;
    state->rounds.insert(round);
    const bool counts = samples.status == Status::ok && !samples.seconds.empty() && why_invalid(samples, {}).empty();
    if (counts) state->medians[{samples.gpu, neighbour}].push_back(median(samples.seconds));
    const int most = most_of_each[unit];
    if (samples.status != Status::ok && samples.status != Status::invalid) state->stop = Stop::ended;
    else if (most > 0 && std::ssize(state->rounds) >= most) state->stop = Stop::once;
}

void MeasuredSets::drop(std::size_t unit) {
    dropped.insert(unit);
    for (auto& set : of(unit))
        if (set.stop == Stop::going) set.stop = Stop::ended;
}

void MeasuredSets::stop_for_time(State& set, double needed, double left) {
    set.stop = Stop::budget;
    set.needed = needed;
    set.left = left;
}

void MeasuredSets::stop_for_time(std::size_t unit, const std::vector<Parameters>& sets, double needed, double left) {
    for (const auto& set : sets) stop_for_time(*find(unit, set), needed, left);
}

void MeasuredSets::cut(std::size_t unit, const std::vector<Parameters>& sets) {
    for (const auto& set : sets)
        if (auto* state = find(unit, set); state->stop == Stop::going) state->stop = Stop::budget;
}

bool MeasuredSets::resume_what_time_stopped() {
    bool any = false;
    for (std::size_t unit = 0; unit < units(); ++unit)
        for (auto& set : of(unit))
            if (set.stop == Stop::budget && std::ssize(set.rounds) < least(unit) && !is_dropped(unit)) {
                set.stop = Stop::going;
                any = true;
            }
    return any;
}

void MeasuredSets::settle() {
    if (!rules.settles) return;
    for (auto& of_unit : states)
        for (auto& set : of_unit)
            if (set.stop == Stop::going && is_settled(set)) set.stop = Stop::settled;
}

void MeasuredSets::finish() {
    settle();
    for (auto& of_unit : states)
        for (auto& set : of_unit)
            if (set.stop == Stop::going) set.stop = Stop::processes;
}

bool MeasuredSets::is_going(std::size_t unit) const {
    return !is_dropped(unit) && std::ranges::find(of(unit), Stop::going, &State::stop) != of(unit).end();
}

bool MeasuredSets::is_unfinished(std::size_t unit, const State& set) const {
    return set.stop == Stop::going && std::ssize(set.rounds) < least(unit);
}

std::vector<Parameters> MeasuredSets::open(std::size_t unit, int round) const {
    std::vector<Parameters> sets;
    for (const auto number : in_order.sets(unit, round)) {
        const auto& state = of(unit)[number];
        if (state.stop == Stop::going && !state.rounds.contains(round)) sets.push_back(state.set);
    }
    return sets;
}

std::vector<std::vector<Parameters>> MeasuredSets::least_rounds(std::size_t unit) const {
    std::vector<std::vector<Parameters>> rounds;
    for (int round = rules.first; round < rules.first + least(unit); ++round)
        if (auto sets = open(unit, round); !sets.empty()) rounds.push_back(std::move(sets));
    return rounds;
}

std::vector<Parameters> MeasuredSets::without_a_row(std::size_t unit) const {
    std::vector<Parameters> sets;
    for (const auto& state : of(unit))
        if (state.rounds.empty()) sets.push_back(state.set);
    return sets;
}

std::vector<CutShort> MeasuredSets::cut_short() const {
    std::vector<CutShort> all;
    for (std::size_t unit = 0; unit < units(); ++unit)
        for (const auto& state : of(unit)) {
            const auto processes = static_cast<int>(state.rounds.size());
            if (is_dropped(unit) || state.stop != Stop::budget || processes >= least(unit)) continue;
            int round = rules.first;
            while (state.rounds.contains(round)) ++round;
            all.push_back({unit, state.set, processes, round, state.needed, state.left});
        }
    return all;
}

Stop MeasuredSets::stop_of(std::size_t unit, const Parameters& set) const {
    const auto found = std::ranges::find(of(unit), set, &State::set);
    return found == of(unit).end() ? Stop::ended : found->stop;
}

}  // namespace tocuda
