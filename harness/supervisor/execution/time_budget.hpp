// tocuda, Apache-2.0.
// How long what has yet to be measured takes, and how much of it fits into the time left. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "execution/bench_costs.hpp"
#include "execution/bench_order.hpp"
#include "execution/measured_sets.hpp"
#include "model/forecast.hpp"

namespace tocuda {

// How long the whole measurement may take.
struct TimeLimit {
    double seconds = 0;      // 0: no limit
    int side_by_side = 1;    // processes at the same time
    bool simulated = false;  // the GPUs, on which a process takes other times
};
// A process that still runs this long after the time limit was estimated wrongly or hangs, and is ended.
inline constexpr double grace_seconds_of_budget = 5;

class TimeBudget {
public:
    struct Part {
        std::set<std::size_t> sets{};  // their numbers
        double seconds = 0;
    };

    TimeBudget(std::span<const BenchUnit> units, const RoundRules& rules, const Protocol& protocol,
               const TimeLimit& limit);

    double seconds() const { return limit.seconds; }
    bool is_limited() const { return limit.seconds > 0; }
    std::optional<double> ends_at() const;  // when the last process must have ended
    bool allows(const Assignment& next, double elapsed) const;
    void took(const Assignment& taken, const std::vector<Parameters>& measured, double seconds);

    double seconds_of(std::size_t unit, const std::vector<Parameters>& sets) const;  // of one process
    // Of all that the protocol still requires of the unit, with as many processes in parallel as allowed.
    double seconds_of_least(const MeasuredSets& sets, std::size_t unit) const;
    // Sets that take longer than all the time there is. A worker that finds one too large to be measured at all says
    // so, if asking takes little time beside measuring it.
    std::vector<Parameters> worth_asking_about(const MeasuredSets& sets, std::size_t unit) const;
    // The first of the unit's unfinished sets that take no longer together in `rounds` rounds, without those that are
    // too long alone.
    Part part_that_fits(const MeasuredSets& sets, std::size_t unit, int rounds, double seconds) const;
    // What fits whole comes first, then the parts of others that fit into the time that is left.
    Forecast forecast(const MeasuredSets& sets, const std::vector<BenchGroup>& groups, int rounds) const;

private:
    int side_by_side(std::size_t unit) const;  // processes of the unit at the same time
    UnitForecast forecast_of(const MeasuredSets& sets, std::size_t unit) const;
    void add_parts(Forecast& forecast, const MeasuredSets& sets, const std::vector<std::size_t>& unit_of_each,
                   int rounds) const;

    std::span<const BenchUnit> units;
    RoundRules rules;
    TimeLimit limit;
    BenchCosts costs;
};

}  // namespace tocuda
