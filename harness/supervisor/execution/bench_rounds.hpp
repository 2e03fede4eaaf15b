// tocuda, Apache-2.0.
// Decides which measurement process runs next. Group by group (bench_order.hpp), each benchmark is measured as often
// as the protocol requires, round by round in a seeded order; then what was left out and fits into the time left; then
// rows that have not settled, over all groups, until the time runs out. Pure: units, seed, rules and round determine
// the order; the time budget only drops processes.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "execution/bench_order.hpp"
#include "execution/measured_sets.hpp"
#include "execution/time_budget.hpp"
#include "model/forecast.hpp"
#include "model/plan.hpp"

namespace tocuda {

class BenchRounds {
public:
    BenchRounds(std::vector<BenchUnit> what, const Protocol& protocol, std::uint64_t order, const TimeLimit& time)
        : BenchRounds(std::move(what), RoundRules{.least = protocol.processes_min}, protocol, order, time) {}
    BenchRounds(std::vector<BenchUnit> units, const RoundRules& rules, const Protocol& protocol, std::uint64_t seed,
                const TimeLimit& limit);
    BenchRounds(const BenchRounds&) = delete;  // `budget` looks at `units`
    BenchRounds(BenchRounds&&) = default;
    BenchRounds& operator=(const BenchRounds&) = delete;
    BenchRounds& operator=(BenchRounds&&) = default;
    ~BenchRounds() = default;

    // Takes note of a row, of this run or of the one that is resumed. A set that was not ok is not measured again,
    // unless it was cut for time. `neighbour`: which of several processes on one GPU, if there are several.
    void hear(std::size_t unit, int round, const Samples& samples, int neighbour = 0) {
        sets.hear(unit, round, samples, neighbour);
    }
    // Whether `take` returns a process.
    bool has_next(double elapsed);
    // Returns the next process. nullopt while running processes must end first, or if none are running: nothing is
    // left.
    std::optional<Assignment> take(double elapsed);
    // A process that `take` returned has ended. Another process measures its `left_over` sets before anything else.
    void ended(const Assignment& taken, double seconds, std::vector<Parameters> left_over);
    // The same for a process that was ended because the time ran out.
    void cut(const Assignment& taken, const std::vector<Parameters>& left_over);
    void drop(std::size_t unit) { sets.drop(unit); }  // stops measuring the unit

    const std::vector<BenchUnit>& all() const { return units; }
    std::vector<Parameters> sets_without_a_row(std::size_t unit) const { return sets.without_a_row(unit); }
    Stop stop_of(std::size_t unit, const Parameters& set) const { return sets.stop_of(unit, set); }
    std::vector<CutShort> cut_short() const { return sets.cut_short(); }
    Forecast forecast() const { return budget.forecast(sets, groups, rules.least - current); }
    std::string group() const;  // the group whose first `least` rounds are running; empty afterwards
    int round() const { return current; }
    int least() const { return rules.least; }
    int waiting() const { return static_cast<int>(queue.size()); }
    double limit_seconds() const { return budget.seconds(); }
    // When the last process must have ended; nullopt without a limit.
    std::optional<double> ends_at() const { return budget.ends_at(); }

private:
    enum class Phase {
        asking,    // which of the longest sets can be measured at all
        groups,    // one after another, benchmarks that fit into the time left
        parts,     // the same again, for the sets that fit of those that were left out
        settling,  // all rows that have not settled
        over
    };

    void ask_about_the_longest();
    bool begin_round(double elapsed);
    bool next_round(double elapsed);
    void open_group(std::size_t group);
    void leave_out_what_does_not_fit(double elapsed);
    bool take_up_what_was_left_out();
    void queue_round();
    void put_a_fast_one_first();

    std::vector<BenchUnit> units;
    RoundRules rules;
    MeasuredSets sets;
    TimeBudget budget;
    std::vector<BenchGroup> groups;
    Phase phase = Phase::asking;
    std::size_t at_group = 0;  // groups.size() once all were gone through
    int current;               // the current round
    std::deque<Assignment> queue;
    int running = 0;
    int taken = 0;                            // processes, since the groups were gone through before
    std::optional<std::size_t> first_unit{};  // the first unit that was started
};

}  // namespace tocuda
