// tocuda, Apache-2.0.
// Rounds, orders and the rule that ends them.
#include "command/bench_rounds.hpp"

#include <algorithm>
#include <array>

#include "statistics/median_interval.hpp"
#include "statistics/order_statistics.hpp"
#include "statistics/random_numbers.hpp"
#include "summary/validity.hpp"

namespace tocuda {
namespace {

bool settled(const std::map<std::string, std::vector<double>>& medians_of_gpus) {
    return !medians_of_gpus.empty() && std::all_of(medians_of_gpus.begin(), medians_of_gpus.end(), [](const auto& one) {
        const auto interval = median_interval(one.second);
        return interval && interval->relative_half_width(median(one.second)) <= settled_half_width;
    });
}

// How long it takes until a process of it has a number to show, as far as that can be told beforehand: LibTorch takes seconds to load, and so does
// memory to be filled for the largest set.
double wait_for_a_number(const BenchUnit& unit) {
    constexpr double unknown = 1e11;
    constexpr double libtorch = 1e12;
    double largest = 0;
    for (const auto& set : unit.sweep->sets) {
        const auto bytes = set.find("bytes");
        const auto* number = bytes == set.end() ? nullptr : std::get_if<std::int64_t>(&bytes->second.held);
        largest = std::max(largest, number ? static_cast<double>(*number) : unknown);
    }
    return largest + (unit.sweep->worker->built_with.contains("libtorch") ? libtorch : 0);
}

}  // namespace

std::string_view word(Stop stop) {
    constexpr std::array<std::string_view, 5> words{"going", "settled", "budget", "processes", "ended"};
    return words.at(static_cast<std::size_t>(stop));
}

BenchRounds::BenchRounds(std::vector<BenchUnit> what, const Protocol& protocol, std::uint64_t order, double budget_seconds)
    : BenchRounds(std::move(what), RoundRules{.least = protocol.processes_min}, order, budget_seconds) {}

BenchRounds::BenchRounds(std::vector<BenchUnit> what, const RoundRules& how, std::uint64_t order, double budget_seconds)
    : units(std::move(what)), states(units.size()), seed(order), budget(budget_seconds), rules(how), current(how.first - 1) {
    for (std::size_t unit = 0; unit < units.size(); ++unit) {
        for (const auto& set : units[unit].sweep->sets) states[unit].sets.push_back({.set = set});
        states[unit].dropped = !units[unit].skipped.empty();
    }
}

BenchRounds::SetState* BenchRounds::find(std::size_t unit, const Parameters& set) {
    auto& sets = states.at(unit).sets;
    const auto found = std::find_if(sets.begin(), sets.end(), [&](const SetState& one) { return one.set == set; });
    return found == sets.end() ? nullptr : &*found;
}

void BenchRounds::hear(std::size_t unit, int round, const Samples& samples) {
    auto* state = find(unit, samples.parameters);
    if (!state) return;
    state->rounds.insert(round);
    const bool counts = samples.status == Status::ok && !samples.seconds.empty() && why_invalid(samples, {}).empty();
    if (counts) state->medians[samples.gpu].push_back(median(samples.seconds));
    if (samples.status != Status::ok && samples.status != Status::invalid) state->stop = Stop::ended;
}

std::optional<Assignment> BenchRounds::take(double elapsed) {
    while (!over) {
        if (queue.empty() && (running > 0 || !begin_round())) break;
        while (!queue.empty()) {
            auto next = std::move(queue.front());
            queue.pop_front();
            if (states[next.unit].dropped) continue;
            if (affordable(next, elapsed)) {
                short_of_time = short_of_time || (budget > 0 && elapsed > budget);
                ++running;
                return next;
            }
            for (const auto& set : next.sets) find(next.unit, set)->stop = Stop::budget;
        }
    }
    return std::nullopt;
}

// Fewer processes than the protocol asks for would give no interval: these are taken whatever they cost.
bool BenchRounds::affordable(const Assignment& next, double elapsed) const {
    if (budget <= 0 || next.round <= rules.least) return true;
    return elapsed + states[next.unit].seconds_per_set * static_cast<double>(next.sets.size()) <= budget;
}

void BenchRounds::ended(const Assignment& taken, double seconds, std::vector<Parameters> left_over) {
    --running;
    auto& state = states.at(taken.unit);
    const auto measured = taken.sets.size() - left_over.size();
    if (measured > 0) state.seconds_per_set = seconds / static_cast<double>(measured);
    if (!left_over.empty() && !state.dropped) queue.push_front({taken.unit, taken.round, std::move(left_over)});
}

void BenchRounds::drop(std::size_t unit) {
    auto& state = states.at(unit);
    state.dropped = true;
    for (auto& set : state.sets)
        if (set.stop == Stop::going) set.stop = Stop::ended;
}

void BenchRounds::settle() {
    if (!rules.settles) return;
    for (auto& state : states)
        for (auto& set : state.sets)
            if (set.stop == Stop::going && settled(set.medians)) set.stop = Stop::settled;
}

// False where there is nothing more to measure.
bool BenchRounds::begin_round() {
    while (current < rules.most) {
        ++current;
        if (current > rules.least) settle();
        bool any_open = false;
        for (const auto unit : order_of_units()) {
            if (states[unit].dropped) continue;
            any_open = any_open || std::any_of(states[unit].sets.begin(), states[unit].sets.end(), [](const SetState& set) { return set.stop == Stop::going; });
            if (auto sets = open_sets(unit); !sets.empty()) queue.push_back({unit, current, std::move(sets)});
        }
        if (current == 1 && !rules.pairs) put_a_fast_one_first();
        if (!queue.empty()) return true;
        if (!any_open) break;
    }
    settle();
    for (auto& state : states)
        for (auto& set : state.sets)
            if (set.stop == Stop::going) set.stop = Stop::processes;
    over = true;
    return false;
}

// Of a pair neither is always the one that finds the GPU as the other has left it.
std::vector<std::size_t> BenchRounds::order_of_units() const {
    const auto round = static_cast<std::uint64_t>(current);
    if (!rules.pairs) return seeded_order(units.size(), seed, round);
    std::vector<std::size_t> order;
    for (const auto pair : seeded_order(units.size() / 2, seed, round))
        for (const auto side : seeded_order(2, seed ^ (pair + 1), round)) order.push_back(2 * pair + side);
    return order;
}

// The first number is to be on the screen within seconds.
void BenchRounds::put_a_fast_one_first() {
    const auto fast = std::min_element(queue.begin(), queue.end(), [&](const Assignment& left, const Assignment& right) {
        return wait_for_a_number(units[left.unit]) < wait_for_a_number(units[right.unit]);
    });
    if (fast != queue.end()) std::rotate(queue.begin(), fast, fast + 1);
}

std::vector<Parameters> BenchRounds::open_sets(std::size_t unit) const {
    std::vector<Parameters> sets;
    for (const auto number : order_of_sets(unit)) {
        const auto& state = states[unit].sets[number];
        if (state.stop == Stop::going && !state.rounds.contains(current)) sets.push_back(state.set);
    }
    return sets;
}

// Sets whose values alternate stand together: a worker measures them in turns.
std::vector<std::size_t> BenchRounds::order_of_sets(std::size_t unit) const {
    const auto& sets = states[unit].sets;
    std::vector<std::pair<Parameters, std::vector<std::size_t>>> groups;
    for (std::size_t number = 0; number < sets.size(); ++number) {
        auto others = sets[number].set;
        others.erase(units[unit].sweep->benchmark.alternates);
        const auto found = std::find_if(groups.begin(), groups.end(), [&](const auto& group) { return group.first == others; });
        if (found == groups.end()) groups.push_back({others, {number}});
        else found->second.push_back(number);
    }
    const auto process = static_cast<std::uint64_t>(current) * units.size() + unit;
    std::vector<std::size_t> order;
    for (const auto group : seeded_order(groups.size(), seed, process))
        for (const auto member : seeded_order(groups[group].second.size(), seed ^ (group + 1), process)) order.push_back(groups[group].second[member]);
    return order;
}

std::vector<Parameters> BenchRounds::sets_without_a_row(std::size_t unit) const {
    std::vector<Parameters> sets;
    for (const auto& state : states.at(unit).sets)
        if (state.rounds.empty()) sets.push_back(state.set);
    return sets;
}

Stop BenchRounds::stop_of(std::size_t unit, const Parameters& set) const {
    for (const auto& state : states.at(unit).sets)
        if (state.set == set) return state.stop;
    return Stop::ended;
}

}  // namespace tocuda
