// tocuda, Apache-2.0.
// What has been measured of each unit's parameter sets, and which of them go on being measured.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "execution/bench_order.hpp"
#include "model/plan.hpp"

namespace tocuda {

// Why no more processes measured a row. `going`: more will. `once`: as many did as the benchmark is measured in.
enum class Stop { going, settled, once, budget, processes, ended };
std::string_view word(Stop stop);

inline constexpr double settled_half_width = 0.005;  // of the interval over process medians, relative to the median

// A parameter set that has fewer processes than the protocol requires, because the time ran out.
struct CutShort {
    std::size_t unit = 0;
    Parameters set{};
    int processes = 0;
    int round = 0;      // the first round in which it was not measured
    double needed = 0;  // the estimated seconds of what was missing of its benchmark
    double left = 0;    // the seconds that were left for it
};

class MeasuredSets {
public:
    struct State {
        Parameters set;
        std::map<std::pair<std::string, int>, std::vector<double>> medians{};  // of valid processes, by GPU, neighbour
        std::set<int> rounds{};                                                // the rounds that have a row of it
        Stop stop = Stop::going;
        double needed = 0;  // where the budget stopped it, as in CutShort
        double left = 0;
    };

    MeasuredSets(std::span<const BenchUnit> units, const RoundRules& rules, std::uint64_t seed);

    // Takes note of a row. A set that was not ok is not measured again, unless it was cut for time.
    void hear(std::size_t unit, int round, const Samples& samples, int neighbour);

    void drop(std::size_t unit);
    static void stop_for_time(State& set, double needed, double left);
    void stop_for_time(std::size_t unit, const std::vector<Parameters>& sets, double needed, double left);
    void cut(std::size_t unit, const std::vector<Parameters>& sets);  // whose process was ended for time
    bool resume_what_time_stopped();                                  // returns whether there is any
    void settle();                                                    // stops rows whose interval is narrow enough
    void finish();

    const RoundOrder& order() const { return in_order; }
    std::size_t units() const { return states.size(); }
    std::vector<State>& of(std::size_t unit) { return states.at(unit); }
    const std::vector<State>& of(std::size_t unit) const { return states.at(unit); }
    bool is_dropped(std::size_t unit) const { return dropped.contains(unit); }
    bool is_going(std::size_t unit) const;
    bool is_unfinished(std::size_t unit, const State& set) const;         // has not all that the protocol requires
    int least(std::size_t unit) const { return least_of_each.at(unit); }  // processes of each of its sets
    std::vector<Parameters> open(std::size_t unit, int round) const;      // what it measures in that round
    std::vector<std::vector<Parameters>> least_rounds(std::size_t unit) const;  // what each of these has yet to measure
    std::vector<Parameters> without_a_row(std::size_t unit) const;
    Stop stop_of(std::size_t unit, const Parameters& set) const;
    std::vector<CutShort> cut_short() const;

private:
    State* find(std::size_t unit, const Parameters& set);

    RoundRules rules;
    RoundOrder in_order;
    std::vector<std::vector<State>> states{};
    std::vector<int> most_of_each{};  // processes; 0: no limit of its own
    std::vector<int> least_of_each{};
    std::set<std::size_t> dropped{};
};

}  // namespace tocuda
