// tocuda, Apache-2.0.
#include "execution/bench_rounds.hpp"

#include <algorithm>
#include <array>

#include "model/cut_for_time.hpp"
#include "statistics/order_statistics.hpp"
#include "statistics/random_numbers.hpp"
#include "summary/validity.hpp"

namespace tocuda {
namespace {

template <class Medians>
bool settled(const Medians& of_each_row) {
    return !of_each_row.empty() && std::ranges::all_of(of_each_row, [](const auto& one) {
        const auto interval = median_interval(one.second);
        return interval && interval->relative_half_width(median(one.second)) <= settled_half_width;
    });
}

}  // namespace

std::string_view word(Stop stop) {
    constexpr std::array<std::string_view, 6> words{"going", "settled", "once", "budget", "processes", "ended"};
    return words.at(static_cast<std::size_t>(stop));
}

BenchRounds::BenchRounds(std::vector<BenchUnit> what, const RoundRules& how, const Protocol& protocol,
                         std::uint64_t order, const TimeLimit& time)
    : units(std::move(what)), states(units.size()), seed(order), limit(time), rules(how),
      costs(protocol, time.simulated), current(how.first - 1) {
    std::vector<Group> group_of_each;
    for (std::size_t unit = 0; unit < units.size(); ++unit) {
        for (const auto& set : units[unit].sweep->sets) states[unit].sets.push_back({.set = set});
        states[unit].dropped = !units[unit].skipped.empty();
        group_of_each.push_back(rules.pairs ? Group{} : group_of(units[unit].sweep->benchmark));
    }
    groups = bench_groups(group_of_each);
    group_of_unit.resize(units.size());
    for (std::size_t group = 0; group < groups.size(); ++group)
        for (const auto unit : groups[group].members) group_of_unit[unit] = group;
}

BenchRounds::SetState* BenchRounds::find(std::size_t unit, const Parameters& set) {
    auto& sets = states.at(unit).sets;
    const auto found = std::ranges::find_if(sets, [&](const SetState& one) { return one.set == set; });
    return found == sets.end() ? nullptr : &*found;
}

void BenchRounds::hear(std::size_t unit, int round, const Samples& samples, int neighbour) {
    auto* state = find(unit, samples.parameters);
    if (!state || is_cut_for_time(samples)) return;
    state->rounds.insert(round);
    const bool counts = samples.status == Status::ok && !samples.seconds.empty() && why_invalid(samples, {}).empty();
    if (counts) state->medians[{samples.gpu, neighbour}].push_back(median(samples.seconds));
    if (samples.status != Status::ok && samples.status != Status::invalid) state->stop = Stop::ended;
    else if (const int most = units[unit].sweep->benchmark.processes; most > 0 && std::ssize(state->rounds) >= most)
        state->stop = Stop::once;
}

// A set that takes longer than all the time there is may be too large to be measured at all. Its worker says so, if
// that takes little time beside measuring it.
void BenchRounds::ask_about_the_longest() {
    constexpr double little = 0.25;
    for (std::size_t unit = 0; unit < units.size() && limit.seconds > 0; ++unit) {
        if (states[unit].dropped) continue;
        std::vector<Parameters> sets;
        for (const auto& [set, medians, rounds, stop, needed, left] : states[unit].sets) {
            const double seconds = seconds_of(unit, {set});
            const bool is_too_long = seconds * least_of(unit) / side_by_side(unit) > limit.seconds;
            if (stop == Stop::going && rounds.empty() && is_too_long && seconds_of(unit, {}) < little * seconds)
                sets.push_back(set);
        }
        if (!sets.empty()) queue.push_back({unit, rules.first, std::move(sets), true});
    }
}

std::optional<Assignment> BenchRounds::take(double elapsed) {
    if (!std::exchange(has_asked, true)) ask_about_the_longest();
    while (!over) {
        if (queue.empty() && (running > 0 || !begin_round(elapsed))) break;
        while (!queue.empty()) {
            auto next = std::move(queue.front());
            queue.pop_front();
            if (states[next.unit].dropped) continue;
            if (affordable(next, elapsed)) {
                ++running;
                has_taken = true;
                return next;
            }
            if (next.asks) continue;
            const double needed = std::max(seconds_of_least_rounds(next.unit), seconds_of(next.unit, next.sets));
            for (const auto& set : next.sets) stop_for_time(*find(next.unit, set), needed, limit.seconds - elapsed);
        }
    }
    return std::nullopt;
}

bool BenchRounds::affordable(const Assignment& next, double elapsed) const {
    const auto& measured = next.asks ? std::vector<Parameters>{} : next.sets;
    return limit.seconds <= 0 || elapsed + seconds_of(next.unit, measured) <= limit.seconds;
}

void BenchRounds::stop_for_time(SetState& set, double needed, double left) {
    set.stop = Stop::budget;
    set.needed = needed;
    set.left = left;
}

std::optional<double> BenchRounds::ends_at() const {
    return limit.seconds > 0 ? std::optional(limit.seconds + grace_seconds_of_budget) : std::nullopt;
}

void BenchRounds::ended(const Assignment& taken, double seconds, std::vector<Parameters> left_over) {
    --running;
    if (taken.asks) return;
    auto measured = taken.sets;
    std::erase_if(measured,
                  [&](const Parameters& set) { return std::ranges::find(left_over, set) != left_over.end(); });
    costs.took(taken.unit, *units[taken.unit].sweep, measured, seconds, units[taken.unit].gpus.size());
    if (!left_over.empty() && !states.at(taken.unit).dropped)
        queue.push_front({taken.unit, taken.round, std::move(left_over)});
}

void BenchRounds::cut(const Assignment& taken, const std::vector<Parameters>& left_over) {
    --running;
    for (const auto& set : left_over)
        if (auto* state = find(taken.unit, set); state->stop == Stop::going) state->stop = Stop::budget;
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

// Returns false if there is nothing more to measure.
bool BenchRounds::begin_round(double elapsed) {
    while (next_round(elapsed)) {
        queue_round();
        if (!queue.empty()) return true;
    }
    finish();
    return false;
}

// Advances to the current group's next round, then to the first round of the next group. After all groups: once again
// to the first, for what was left out; then to the next round of the rows that have not settled.
bool BenchRounds::next_round(double elapsed) {
    for (; at_group < groups.size(); ++at_group, group_is_open = false) {
        if (!group_is_open) current = rules.first - 1;
        group_is_open = true;
        if (current < rules.least) leave_out_what_does_not_fit(elapsed);
        const auto& members = groups[at_group].members;
        const bool any = std::ranges::any_of(members, [&](std::size_t unit) { return is_going(unit); });
        if (current++ < rules.least && any) return true;
        current = rules.least;
    }
    if (take_up_what_was_left_out()) return next_round(elapsed);
    if (current >= rules.most) return false;
    ++current;
    settle();
    for (std::size_t unit = 0; unit < units.size(); ++unit)
        if (is_going(unit)) return true;
    return false;
}

bool BenchRounds::is_going(std::size_t unit) const {
    const auto& state = states[unit];
    const auto goes_on = [](const SetState& set) { return set.stop == Stop::going; };
    return !state.dropped && std::ranges::any_of(state.sets, goes_on);
}

void BenchRounds::queue_round() {
    for (const auto unit : order_of_units()) {
        const bool has_its_turn = at_group == groups.size() || group_of_unit[unit] == at_group;
        if (states[unit].dropped || !has_its_turn) continue;
        if (auto sets = open_sets(unit, current); !sets.empty()) queue.push_back({unit, current, std::move(sets)});
    }
    if (current == 1 && at_group == 0 && !rules.pairs) put_a_fast_one_first();
}

void BenchRounds::finish() {
    settle();
    for (auto& state : states)
        for (auto& set : state.sets)
            if (set.stop == Stop::going) set.stop = Stop::processes;
    over = true;
}

std::string BenchRounds::group() const { return at_group < groups.size() ? groups[at_group].name : ""; }

// The order within a pair varies, so that neither unit always runs on the GPU as the other left it.
std::vector<std::size_t> BenchRounds::order_of_units() const {
    const auto round = static_cast<std::uint64_t>(current);
    if (!rules.pairs) return seeded_order(units.size(), seed, round);
    std::vector<std::size_t> order;
    for (const auto pair : seeded_order(units.size() / 2, seed, round))
        for (const auto side : seeded_order(2, seed ^ (pair + 1), round)) order.push_back(2 * pair + side);
    return order;
}

// So that the first number appears on the screen within seconds. Chosen by all sets of a unit, not by those left, so
// that a resumed measurement keeps the order.
void BenchRounds::put_a_fast_one_first() {
    const auto& members = groups.front().members;
    const auto seconds = [&](std::size_t unit) { return seconds_of(unit, units[unit].sweep->sets); };
    const auto fastest = std::min_element(members.begin(), members.end(), [&](std::size_t left, std::size_t right) {
        return std::pair(!units[left].skipped.empty(), seconds(left)) <
               std::pair(!units[right].skipped.empty(), seconds(right));
    });
    const auto queued =
        std::ranges::find_if(queue, [&](const Assignment& assignment) { return assignment.unit == *fastest; });
    if (queued != queue.end()) std::rotate(queue.begin(), queued, queued + 1);
}

std::vector<Parameters> BenchRounds::open_sets(std::size_t unit, int round) const {
    std::vector<Parameters> sets;
    for (const auto number : order_of_sets(unit, round)) {
        const auto& state = states[unit].sets[number];
        if (state.stop == Stop::going && !state.rounds.contains(round)) sets.push_back(state.set);
    }
    return sets;
}

// The numbers of sets that differ only in the alternating parameter. A worker measures these in turns.
std::vector<std::vector<std::size_t>> BenchRounds::families_of(std::size_t unit) const {
    const auto& sets = states[unit].sets;
    std::vector<std::pair<Parameters, std::vector<std::size_t>>> families;
    for (std::size_t number = 0; number < sets.size(); ++number) {
        auto others = sets[number].set;
        others.erase(units[unit].sweep->benchmark.alternates);
        const auto found = std::ranges::find_if(families, [&](const auto& family) { return family.first == others; });
        if (found == families.end()) families.push_back({others, {number}});
        else found->second.push_back(number);
    }
    std::vector<std::vector<std::size_t>> numbers;
    for (auto& family : families) numbers.push_back(std::move(family.second));
    return numbers;
}

std::vector<std::size_t> BenchRounds::order_of_sets(std::size_t unit, int round) const {
    const auto families = families_of(unit);
    const auto process = static_cast<std::uint64_t>(round) * units.size() + unit;
    std::vector<std::size_t> order;
    for (const auto family : seeded_order(families.size(), seed, process))
        for (const auto member : seeded_order(families[family].size(), seed ^ (family + 1), process))
            order.push_back(families[family][member]);
    return order;
}

std::vector<Parameters> BenchRounds::sets_without_a_row(std::size_t unit) const {
    std::vector<Parameters> sets;
    for (const auto& state : states.at(unit).sets)
        if (state.rounds.empty()) sets.push_back(state.set);
    return sets;
}

std::vector<CutShort> BenchRounds::cut_short() const {
    std::vector<CutShort> all;
    for (std::size_t unit = 0; unit < units.size(); ++unit)
        for (const auto& state : states[unit].sets) {
            const auto processes = static_cast<int>(state.rounds.size());
            if (states[unit].dropped || state.stop != Stop::budget || processes >= least_of(unit)) continue;
            int round = rules.first;
            while (state.rounds.contains(round)) ++round;
            all.push_back({unit, state.set, processes, round, state.needed, state.left});
        }
    return all;
}

Stop BenchRounds::stop_of(std::size_t unit, const Parameters& set) const {
    for (const auto& state : states.at(unit).sets)
        if (state.set == set) return state.stop;
    return Stop::ended;
}

}  // namespace tocuda
