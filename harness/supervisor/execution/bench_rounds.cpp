// tocuda, Apache-2.0.
#include "execution/bench_rounds.hpp"

#include <algorithm>
#include <utility>

namespace tocuda {
namespace {

std::vector<BenchGroup> groups_of(const std::vector<BenchUnit>& units, bool pairs) {
    std::vector<Group> group_of_each;
    for (const auto& unit : units) group_of_each.push_back(pairs ? Group{} : group_of(unit.sweep->benchmark));
    return bench_groups(group_of_each);
}

}  // namespace

BenchRounds::BenchRounds(std::vector<BenchUnit> what, const RoundRules& how, const Protocol& protocol,
                         std::uint64_t seed, const TimeLimit& time)
    : units(std::move(what)), rules(how), sets(units, rules, seed), budget(units, rules, protocol, time),
      groups(groups_of(units, rules.pairs)), current(rules.first - 1) {}

void BenchRounds::ask_about_the_longest() {
    for (std::size_t unit = 0; unit < units.size(); ++unit)
        if (auto long_ones = budget.worth_asking_about(sets, unit); !long_ones.empty())
            queue.push_back({unit, rules.first, std::move(long_ones), true});
}

bool BenchRounds::has_next(double elapsed) {
    if (phase == Phase::asking) {
        ask_about_the_longest();
        phase = Phase::groups;
    }
    while (phase != Phase::over) {
        if (queue.empty() && (running > 0 || !begin_round(elapsed))) break;
        for (; !queue.empty(); queue.pop_front()) {
            const auto& next = queue.front();
            if (sets.is_dropped(next.unit)) continue;
            if (budget.allows(next, elapsed)) return true;
            if (next.asks) continue;
            const double needed = std::max(budget.seconds_of_least(sets, next.unit),  //
                                           budget.seconds_of(next.unit, next.sets));
            sets.stop_for_time(next.unit, next.sets, needed, budget.seconds() - elapsed);
        }
    }
    return false;
}

std::optional<Assignment> BenchRounds::take(double elapsed) {
    if (!has_next(elapsed)) return std::nullopt;
    auto next = std::move(queue.front());
    queue.pop_front();
    ++running;
    ++taken;
    return next;
}

void BenchRounds::ended(const Assignment& what, double seconds, std::vector<Parameters> left_over) {
    --running;
    if (what.asks) return;
    auto measured = what.sets;
    std::erase_if(measured,
                  [&](const Parameters& set) { return std::ranges::find(left_over, set) != left_over.end(); });
    budget.took(what, measured, seconds);
    if (!left_over.empty() && !sets.is_dropped(what.unit))
        queue.push_front({what.unit, what.round, std::move(left_over)});
}

void BenchRounds::cut(const Assignment& what, const std::vector<Parameters>& left_over) {
    --running;
    sets.cut(what.unit, left_over);
}

// Returns false if there is nothing more to measure.
bool BenchRounds::begin_round(double elapsed) {
    while (next_round(elapsed)) {
        queue_round();
        if (!queue.empty()) return true;
    }
    sets.finish();
    phase = Phase::over;
    return false;
}

void BenchRounds::open_group(std::size_t group) {
    at_group = group;
    current = group < groups.size() ? rules.first - 1 : rules.least;
}

// Advances to the current group's next round, then to the first round of the next group. After all groups: once again
// to the first, for what was left out; then to the next round of the rows that have not settled.
bool BenchRounds::next_round(double elapsed) {
    const auto is_going = [&](std::size_t unit) { return sets.is_going(unit); };
    for (; at_group < groups.size(); open_group(at_group + 1)) {
        if (current < rules.least) leave_out_what_does_not_fit(elapsed);
        const bool any = std::ranges::any_of(groups[at_group].members, is_going);
        if (current++ < rules.least && any) return true;
    }
    if (take_up_what_was_left_out()) return next_round(elapsed);
    phase = Phase::settling;
    if (current >= rules.most) return false;
    ++current;
    sets.settle();
    for (std::size_t unit = 0; unit < units.size(); ++unit)
        if (is_going(unit)) return true;
    return false;
}

// With fewer processes than the protocol requires there is no interval, so a benchmark that cannot get all of them in
// the time left is not started, and benchmarks that fit use the time. Repeated before each round, because processes may
// take longer than estimated. The first of which a process fits is always measured, so that there are some numbers.
void BenchRounds::leave_out_what_does_not_fit(double elapsed) {
    if (!budget.is_limited()) return;
    double left = budget.seconds() - elapsed;
    for (const auto unit : groups[at_group].members) {
        const double seconds = sets.is_dropped(unit) ? 0 : budget.seconds_of_least(sets, unit);
        if (seconds <= 0) continue;
        if (!first_unit && budget.seconds_of(unit, sets.open(unit, current + 1)) <= left) first_unit = unit;
        const bool in_parts = phase == Phase::parts;
        if (seconds > left && (in_parts || unit != first_unit)) {
            const auto part = in_parts ? budget.part_that_fits(sets, unit, rules.least - current, left)  //
                                       : TimeBudget::Part{};
            for (std::size_t number = 0; number < sets.of(unit).size(); ++number)
                if (auto& set = sets.of(unit)[number]; sets.is_unfinished(unit, set) && !part.sets.contains(number))
                    MeasuredSets::stop_for_time(set, seconds, left);
        }
        left -= budget.seconds_of_least(sets, unit);
    }
}

// Processes may have been faster than estimated, and of a benchmark that does not fit some sets may.
bool BenchRounds::take_up_what_was_left_out() {
    const bool is_first_time = phase == Phase::groups;
    const bool has_taken = std::exchange(taken, 0) > 0;
    if (rules.pairs || (!is_first_time && !has_taken) || !sets.resume_what_time_stopped()) return false;
    phase = Phase::parts;
    open_group(0);
    return true;
}

void BenchRounds::queue_round() {
    const auto has_its_turn = [&](std::size_t unit) {
        return at_group == groups.size() || std::ranges::binary_search(groups[at_group].members, unit);
    };
    for (const auto unit : sets.order().units(current)) {
        if (sets.is_dropped(unit) || !has_its_turn(unit)) continue;
        if (auto open = sets.open(unit, current); !open.empty()) queue.push_back({unit, current, std::move(open)});
    }
    if (current == 1 && at_group == 0 && !rules.pairs) put_a_fast_one_first();
}

// So that the first number appears on the screen within seconds. Chosen by all sets of a unit, not by those left, so
// that a resumed measurement keeps the order.
void BenchRounds::put_a_fast_one_first() {
    const auto fastest = std::ranges::min(groups.front().members, {}, [&](std::size_t unit) {
        return std::pair(!units[unit].skipped.empty(), budget.seconds_of(unit, units[unit].sweep->sets));
    });
    const auto queued = std::ranges::find(queue, fastest, &Assignment::unit);
    if (queued != queue.end()) std::rotate(queue.begin(), queued, queued + 1);
}

std::string BenchRounds::group() const { return at_group < groups.size() ? groups[at_group].name : ""; }

}  // namespace tocuda
