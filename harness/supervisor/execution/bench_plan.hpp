// tocuda, Apache-2.0.
// Makes the plan of a measurement: which sweeps, on which GPUs, under which rules.
#pragma once

#include <string>
#include <vector>

#include "execution/bench_order.hpp"
#include "execution/place.hpp"
#include "model/machine.hpp"
#include "model/plan.hpp"
#include "request/request.hpp"
#include "terminal/complaint.hpp"

namespace tocuda {

// `chosen` are indices of `gpus`. `by_name` is true if a person chose them; otherwise a benchmark that needs several
// GPUs gets all there are.
std::vector<BenchUnit> bench_units(const std::vector<Sweep>& sweeps, const std::vector<int>& chosen, bool by_name,
                                   const std::vector<Gpu>& gpus);

// The same for measuring on all chosen GPUs at once, which is possible for benchmarks that need one GPU.
std::vector<BenchUnit> units_at_once(const std::vector<Sweep>& sweeps, const std::vector<int>& chosen,
                                     const std::vector<Gpu>& gpus);

// Records sweeps and units in the plan. Sweeps that have no unit are recorded too.
void add_units(Plan& plan, const std::vector<Sweep>& sweeps, const std::vector<BenchUnit>& units);

struct FoundSweeps {
    std::vector<Sweep> sweeps{};
    std::vector<std::string> missing{};  // benchmarks and parameters of the plan that no worker of this build has
};

// Returns the sweeps of a recorded plan.
FoundSweeps sweeps_of(const Plan& plan, const Catalogue& catalogue);

// Returns the units of a recorded plan. `sweeps` are all of its sweeps.
std::vector<BenchUnit> units_of(const Plan& plan, const std::vector<Sweep>& sweeps);

bool needs_a_gpu(const std::vector<Sweep>& sweeps);

// How many processes may run at a time: several only of simulated GPUs, whose times do not depend on what runs beside
// them. What needs no GPU is never simulated.
int processes_at_a_time(const Place& place, const std::vector<BenchUnit>& units, int jobs);

// The UUIDs of the GPUs at these indices; empty if one of them is unknown.
std::vector<std::string> uuids_of(const std::vector<int>& chosen, const std::vector<Gpu>& gpus);

// Why each process of this worker would fail on the GPUs of that machine: a CUDA runtime needs a driver of its own
// major version or a later one. Empty if it does not.
std::string why_driver_is_too_old(const Worker& worker, const RunLine& line);

// Chooses the GPUs to measure (the requested ones, the rank's own, or the first) at a real place, or at a simulated one
// only on request.
OrExit<Place> place_to_measure(const Where& where, const std::vector<Sweep>& sweeps, bool together,
                               const Catalogue& catalogue, bool quiet);

// The sweeps and units of a plan, with pointers to each other and to the workers of a catalogue.
struct PlannedBench {
    Plan plan{};
    std::vector<Sweep> sweeps{};
    std::vector<BenchUnit> units{};
};

// `protocol` and `together` are those of the request or of the plan that is repeated; a budget of 0 is the protocol's.
PlannedBench plan_bench(const BenchRequest& request, const Place& place, std::vector<Sweep> sweeps,
                        const Protocol& protocol);

// Whether several GPUs are measured at once.
bool is_together(const Plan& plan);

// Finds what two builds can both measure: the benchmarks and parameter sets that each of them has. Pure.
struct PairedSweeps {
    std::vector<Sweep> ours{};
    std::vector<Sweep> theirs{};       // the same sets in the same order
    std::vector<std::string> alone{};  // benchmarks that only one build has, or that they measure by different clocks
};

PairedSweeps paired_sweeps(const Sweeps& ours, const Sweeps& theirs);

// Returns the units of both builds, alternating; `units` are those of `ours`.
std::vector<BenchUnit> paired_units(const std::vector<BenchUnit>& units, const PairedSweeps& sweeps);

}  // namespace tocuda
