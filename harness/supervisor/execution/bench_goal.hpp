// tocuda, Apache-2.0.
// What `bench` is to measure, and the plan that does: from the request, from the file that is resumed, or from a plan
// that is repeated.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "execution/bench_plan.hpp"
#include "execution/bench_rounds.hpp"
#include "execution/recorded_run.hpp"
#include "model/evidence.hpp"
#include "model/forecast.hpp"
#include "model/measurement.hpp"
#include "request/catalogue.hpp"
#include "request/request.hpp"
#include "terminal/complaint.hpp"

namespace tocuda {

struct Goal {
    Sweeps sweeps{};
    std::size_t lowered = 0;  // parameter sets whose sizes are too large for simulated GPUs
    std::optional<FoundRun> before{};

    const Where& where(const BenchRequest& request, const Plan* again) const {
        return before ? before->plan->where : again ? again->where : request.where;
    }
};

// The largest sets that are measured on simulated GPUs unless sizes are named. Kernels of such a GPU run on the CPU:
// checking 1 GiB takes three seconds per process and would use up the budget.
inline constexpr std::int64_t largest_simulated_bytes = std::int64_t{256} << 20;
inline constexpr std::int64_t bytes_instead = std::int64_t{64} << 20;  // of larger ones

// `again` is the plan to repeat, or null.
OrExit<Goal> goal_of(const BenchRequest& request, const Catalogue& catalogue, const Plan* again);

// Removes from the goal what this place does not have, or is too large for it.
OrExit<PlannedBench> plan_of(const BenchRequest& request, Goal& goal, const Place& place, const Plan* again);

BenchRounds rounds_of(const PlannedBench& planned, const TimeLimit& limit);

// Which unit measured a row of a file.
class UnitOfRow {
public:
    UnitOfRow(const std::vector<BenchUnit>& units, const std::vector<Gpu>& gpus);
    std::optional<std::size_t> operator()(const std::string& benchmark, const std::string& gpu) const;

private:
    std::map<std::pair<std::string, std::string>, std::size_t> units{};  // without a UUID where not on one GPU
};

// Takes note of the rows of the run that is resumed.
void hear(BenchRounds& rounds, const std::vector<MeasurementRow>& measured, const UnitOfRow& unit_of);

// The forecast of a measurement: the plan that `bench` would carry out, and nothing is measured.
struct BenchForecast {
    Device device = Device::none;
    std::string where{};  // "8 simulated GPUs (8xH200)"
    std::string text{};   // the sum, in a sentence
    double budget_seconds = 0;
    Forecast forecast{};
};

// Simulated GPUs take the time that real ones are assumed to take. Without a GPU it is that of one H200.
OrExit<BenchForecast> forecast_bench(const BenchRequest& request, const Catalogue& catalogue);

}  // namespace tocuda
