// tocuda, Apache-2.0.
// Decides which measurement process runs next. Group by group (bench_groups.hpp), each benchmark is measured as often
// as the protocol requires, round by round in a seeded order; then what was left out and fits into the time left; then
// rows that have not settled, over all groups, until the time runs out. Pure: units, seed, rules and round determine
// the order, so that a resumed or reproduced measurement repeats it; the time budget only drops processes.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "execution/bench_costs.hpp"
#include "execution/bench_groups.hpp"
#include "model/forecast.hpp"
#include "model/plan.hpp"
#include "request/sweep.hpp"

namespace tocuda {

// The libcuda that processes must load, which they then name.
struct UserDriver {
    std::string folder{};  // where the loader looks first; empty: nowhere else than usual
    std::string file{};
};

// One benchmark on one GPU, or on all of them together where it needs several.
struct BenchUnit {
    const Sweep* sweep = nullptr;
    std::vector<int> gpus{};             // indices of the GPUs that its processes see; empty if it needs none
    std::string skipped{};               // what is needed and what was found; empty if it is measured
    bool at_once = false;                // one process for each of its GPUs, all at the same time
    const UserDriver* driver = nullptr;  // null: whatever it loads
};

// What one process measures; `sets` in this order.
struct Assignment {
    std::size_t unit = 0;
    int round = 0;
    std::vector<Parameters> sets{};
    bool asks = false;  // only which of the sets would be skipped
};

// Why no more processes measured a row. `going`: more will. `once`: as many did as the benchmark is measured in.
enum class Stop { going, settled, once, budget, processes, ended };
std::string_view word(Stop stop);

inline constexpr double settled_half_width = 0.005;  // of the interval over process medians, relative to the median
// How long the whole measurement may take.
struct TimeLimit {
    double seconds = 0;      // 0: no limit
    int side_by_side = 1;    // processes at the same time
    bool simulated = false;  // the GPUs, on which a process takes other times
};
// A process that still runs this long after the time limit was estimated wrongly or hangs, and is ended.
inline constexpr double grace_seconds_of_budget = 5;

// A parameter set that has fewer processes than the protocol requires, because the time ran out.
struct CutShort {
    std::size_t unit = 0;
    Parameters set{};
    int processes = 0;
    int round = 0;      // the first round in which it was not measured
    double needed = 0;  // the estimated seconds of what was missing of its benchmark
    double left = 0;    // the seconds that were left for it
};

class BenchRounds {
public:
    BenchRounds(std::vector<BenchUnit> what, const Protocol& protocol, std::uint64_t order, const TimeLimit& time)
        : BenchRounds(std::move(what), RoundRules{.least = protocol.processes_min}, protocol, order, time) {}
    BenchRounds(std::vector<BenchUnit> units, const RoundRules& rules, const Protocol& protocol, std::uint64_t seed,
                const TimeLimit& limit);

    // Takes note of a row, of this run or of the one that is resumed. A set that was not ok is not measured again,
    // unless it was cut for time. `neighbour`: which of several processes on one GPU, if there are several.
    void hear(std::size_t unit, int round, const Samples& samples, int neighbour = 0);
    // Returns the next process. nullopt while running processes must end first, or if none are running: nothing is
    // left.
    std::optional<Assignment> take(double elapsed);
    // A process that `take` returned has ended. Another process measures its `left_over` sets before anything else.
    void ended(const Assignment& taken, double seconds, std::vector<Parameters> left_over);
    // The same for a process that was ended because the time ran out.
    void cut(const Assignment& taken, const std::vector<Parameters>& left_over);
    void drop(std::size_t unit);  // stops measuring the unit

    const std::vector<BenchUnit>& all() const { return units; }
    std::vector<Parameters> sets_without_a_row(std::size_t unit) const;
    Stop stop_of(std::size_t unit, const Parameters& set) const;
    std::vector<CutShort> cut_short() const;
    Forecast forecast() const;  // of the first `least` rounds
    std::string group() const;  // the group whose first `least` rounds are running; empty afterwards
    int round() const { return current; }
    int least() const { return rules.least; }
    int waiting() const { return static_cast<int>(queue.size()); }
    double limit_seconds() const { return limit.seconds; }
    // When the last process must have ended; nullopt without a limit.
    std::optional<double> ends_at() const;

private:
    struct SetState {
        Parameters set;
        std::map<std::pair<std::string, int>, std::vector<double>> medians{};  // of valid processes, by GPU, neighbour
        std::set<int> rounds{};                                                // the rounds that have a row of it
        Stop stop = Stop::going;
        double needed = 0;  // where the budget stopped it, as in CutShort
        double left = 0;
    };
    struct UnitState {
        std::vector<SetState> sets{};
        bool dropped = false;
    };
    struct Part {
        std::set<std::size_t> sets{};  // their numbers
        double seconds = 0;
    };

    void ask_about_the_longest();
    static void stop_for_time(SetState& set, double needed, double left);
    bool begin_round(double elapsed);
    bool next_round(double elapsed);
    void leave_out_what_does_not_fit(double elapsed);
    bool take_up_what_was_left_out();
    void queue_round();
    bool is_going(std::size_t unit) const;
    std::vector<std::size_t> order_of_units() const;
    void put_a_fast_one_first();
    void settle();
    void finish();
    std::vector<Parameters> open_sets(std::size_t unit, int round) const;
    std::vector<std::vector<std::size_t>> families_of(std::size_t unit) const;
    std::vector<std::size_t> order_of_sets(std::size_t unit, int round) const;
    bool affordable(const Assignment& next, double elapsed) const;
    double seconds_of(std::size_t unit, const std::vector<Parameters>& sets) const;
    double seconds_of_least_rounds(std::size_t unit) const;
    Part part_that_fits(std::size_t unit, double seconds) const;
    UnitForecast forecast_of(std::size_t unit) const;
    bool is_unfinished(std::size_t unit, const SetState& set) const;
    std::vector<std::size_t> in_order_of_groups() const;
    int side_by_side(std::size_t unit) const;  // processes of the unit at the same time
    int least_of(std::size_t unit) const;      // processes of each of its sets
    SetState* find(std::size_t unit, const Parameters& set);

    std::vector<BenchUnit> units;
    std::vector<UnitState> states;
    std::vector<BenchGroup> groups;
    std::vector<std::size_t> group_of_unit;
    std::size_t at_group = 0;  // groups.size() once only rows that have not settled are measured
    bool group_is_open = false;
    bool in_parts = false;                    // the groups are gone through again, for the parts of benchmarks that fit
    bool has_taken = true;                    // a process, since they were gone through before
    std::optional<std::size_t> first_unit{};  // the first unit that was started
    std::deque<Assignment> queue;
    std::uint64_t seed;
    TimeLimit limit;
    RoundRules rules;
    BenchCosts costs;
    int current;  // the current round
    int running = 0;
    bool has_asked = false;
    bool over = false;
};

}  // namespace tocuda
