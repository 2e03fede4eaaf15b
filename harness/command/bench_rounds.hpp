// tocuda, Apache-2.0.
// Which process is next. Group by group (bench_groups.hpp) each benchmark is measured as often as the protocol asks,
// round by round in a seeded order; then, over all groups, only what has not settled, until the time is spent. Pure:
// units, seed, rules and round fix the order, so that a resumed or reproduced measurement repeats it; the time only
// leaves some out.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "command/bench_costs.hpp"
#include "command/bench_groups.hpp"
#include "command/sweep.hpp"

namespace tocuda {

// One benchmark on one GPU, or on all of them together where it needs several.
struct BenchUnit {
    const Sweep* sweep = nullptr;
    std::vector<int> gpus{};  // that its processes see, by index; empty where it needs none
    std::string skipped{};    // what is needed and what was found; empty where it is measured
    bool at_once = false;     // a process for each of its GPUs, all of them at the same time
};

// What one process measures, in this order.
struct Assignment {
    std::size_t unit = 0;
    int round = 0;
    std::vector<Parameters> sets{};
};

// Why a row has the number of processes that it has.
enum class Stop { going, settled, budget, processes, ended };
std::string_view word(Stop stop);

inline constexpr double settled_half_width = 0.005;  // of the interval over process medians, as a part of the median
inline constexpr int rounds_most = 30;

// How many rounds there are, and which.
struct RoundRules {
    int first = 1;
    int least = 6;  // of a group, before the next one has its turn
    int most = rounds_most;
    bool settles = true;  // after the least, a row whose interval is narrow enough is measured no more
    bool pairs = false;   // each unit with an even number and the one after it stand together, in a seeded order; there
                          // are no groups
};

// How long all of it may take.
struct TimeLimit {
    double seconds = 0;    // 0: no limit
    int side_by_side = 1;  // so many processes at the same time
};
// A process that is still running so long after the time was spent is ended: its estimate was wrong, or it hangs.
inline constexpr double grace_seconds_of_budget = 5;

// What the least rounds of all that is not skipped take, by estimate.
struct Forecast {
    std::size_t benchmarks = 0;
    std::size_t sets = 0;
    std::size_t processes = 0;
    double seconds = 0;
};

// A parameter set that has fewer processes than the protocol asks for, because the time was spent.
struct CutShort {
    std::size_t unit = 0;
    Parameters set{};
    int processes = 0;
    int round = 0;  // the first that it was not measured in
};

class BenchRounds {
public:
    BenchRounds(std::vector<BenchUnit> units, const Protocol& protocol, std::uint64_t seed, const TimeLimit& limit);
    BenchRounds(std::vector<BenchUnit> units, const RoundRules& rules, const Protocol& protocol, std::uint64_t seed,
                const TimeLimit& limit);

    // A row, of this start or of the one that is resumed. A set that was not ok is not measured again, unless it was
    // the time that was short.
    void hear(std::size_t unit, int round, const Samples& samples);
    // The next process, or none: where processes run, when one of them has ended; otherwise there is nothing more.
    std::optional<Assignment> take(double elapsed);
    // What a process that was taken has left over: another one takes it before anything else.
    void ended(const Assignment& taken, double seconds, std::vector<Parameters> left_over);
    // The same, of a process that was ended because the time was spent.
    void cut(const Assignment& taken, const std::vector<Parameters>& left_over);
    void drop(std::size_t unit);  // nothing more is measured of it

    const std::vector<BenchUnit>& all() const { return units; }
    std::vector<Parameters> sets_without_a_row(std::size_t unit) const;
    Stop stop_of(std::size_t unit, const Parameters& set) const;
    std::vector<CutShort> cut_short() const;
    Forecast forecast() const;
    std::string group() const;  // whose least rounds are taken; empty afterwards
    int round() const { return current; }
    int least() const { return rules.least; }
    int waiting() const { return static_cast<int>(queue.size()); }
    double limit_seconds() const { return limit.seconds; }
    // When the last process has to be over; none where there is no limit.
    std::optional<double> ends_at() const;

private:
    struct SetState {
        Parameters set;
        std::map<std::string, std::vector<double>> medians{};  // of the processes that were ok, by GPU
        std::set<int> rounds{};                                // that have a row of it
        Stop stop = Stop::going;
    };
    struct UnitState {
        std::vector<SetState> sets{};
        bool dropped = false;
    };

    bool begin_round(double elapsed);
    bool next_round(double elapsed);
    void leave_out_what_does_not_fit(double elapsed);
    void queue_round();
    bool is_going(std::size_t unit) const;
    std::vector<std::size_t> order_of_units() const;
    void put_a_fast_one_first();
    void settle();
    void finish();
    std::vector<Parameters> open_sets(std::size_t unit, int round) const;
    std::vector<std::size_t> order_of_sets(std::size_t unit, int round) const;
    bool affordable(const Assignment& next, double elapsed) const;
    double seconds_of(std::size_t unit, const std::vector<Parameters>& sets) const;
    double seconds_of_least_rounds(std::size_t unit) const;
    SetState* find(std::size_t unit, const Parameters& set);

    std::vector<BenchUnit> units;
    std::vector<UnitState> states;
    std::vector<BenchGroup> groups;
    std::vector<std::size_t> group_of_unit;
    std::size_t at_group = 0;  // all of them: what has not settled goes on
    bool group_is_open = false;
    std::optional<std::size_t> first_unit{};  // that was begun
    std::deque<Assignment> queue;
    std::uint64_t seed;
    TimeLimit limit;
    RoundRules rules;
    BenchCosts costs;
    int current;  // the round
    int running = 0;
    bool over = false;
};

}  // namespace tocuda
