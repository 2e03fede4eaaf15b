// tocuda, Apache-2.0.
// Which process is next: round by round over all benchmarks in a seeded order, first as often as the protocol asks, then only what has not
// settled, until the time is spent. Pure.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

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
    int least = 6;       // that are taken whatever they cost
    int most = rounds_most;
    bool settles = true; // after the least, a row whose interval is narrow enough is measured no more
    bool pairs = false;  // each unit with an even number and the one after it stand together, in a seeded order
};

class BenchRounds {
public:
    BenchRounds(std::vector<BenchUnit> units, const Protocol& protocol, std::uint64_t seed, double budget_seconds);
    BenchRounds(std::vector<BenchUnit> units, const RoundRules& rules, std::uint64_t seed, double budget_seconds);

    // A row, of this start or of the one that is resumed. A set that was not ok is not measured again.
    void hear(std::size_t unit, int round, const Samples& samples);
    // The next process, or none: where processes run, when one of them has ended; otherwise there is nothing more.
    std::optional<Assignment> take(double elapsed);
    // What a process that was taken has left over: another one takes it before anything else.
    void ended(const Assignment& taken, double seconds, std::vector<Parameters> left_over);
    void drop(std::size_t unit);  // nothing more is measured of it

    const std::vector<BenchUnit>& all() const { return units; }
    std::vector<Parameters> sets_without_a_row(std::size_t unit) const;
    Stop stop_of(std::size_t unit, const Parameters& set) const;
    int round() const { return current; }
    int least() const { return rules.least; }
    // Fewer processes than these are never taken: the time was spent before they were.
    bool least_took_too_long() const { return short_of_time; }
    int waiting() const { return static_cast<int>(queue.size()); }

private:
    struct SetState {
        Parameters set;
        std::map<std::string, std::vector<double>> medians{};  // of the processes that were ok, by GPU
        std::set<int> rounds{};         // that have a row of it
        Stop stop = Stop::going;
    };
    struct UnitState {
        std::vector<SetState> sets{};
        double seconds_per_set = 0;  // of its last process
        bool dropped = false;
    };

    bool begin_round();
    std::vector<std::size_t> order_of_units() const;
    void put_a_fast_one_first();
    void settle();
    std::vector<Parameters> open_sets(std::size_t unit) const;
    std::vector<std::size_t> order_of_sets(std::size_t unit) const;
    bool affordable(const Assignment& next, double elapsed) const;
    SetState* find(std::size_t unit, const Parameters& set);

    std::vector<BenchUnit> units;
    std::vector<UnitState> states;
    std::deque<Assignment> queue;
    std::uint64_t seed;
    double budget;  // 0: none
    RoundRules rules;
    int current;  // the round
    int running = 0;
    bool over = false;
    bool short_of_time = false;
};

}  // namespace tocuda
