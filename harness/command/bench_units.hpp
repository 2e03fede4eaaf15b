// tocuda, Apache-2.0.
// Assigns benchmarks to GPUs, and says which must be skipped because no GPU suits them. Pure.
#pragma once

#include <string>
#include <vector>

#include "command/bench_rounds.hpp"
#include "command/plan.hpp"
#include "model/machine.hpp"

namespace tocuda {

// `chosen` are indices of `gpus`. `by_name` is true if a person chose them; otherwise a benchmark that needs several
// GPUs gets all there are.
std::vector<BenchUnit> bench_units(const std::vector<Sweep>& sweeps, const std::vector<int>& chosen, bool by_name,
                                   const std::vector<Gpu>& gpus);

// The same for measuring on all chosen GPUs at once, which is possible for benchmarks that need one GPU.
std::vector<BenchUnit> units_at_once(const std::vector<Sweep>& sweeps, const std::vector<int>& chosen,
                                     const std::vector<Gpu>& gpus);

// The parameter that holds how many GPUs were measured at once. Rows measured on one GPU alone do not have it, so the
// two are never compared.
inline constexpr const char* at_once_parameter = "at_once";

bool needs_a_gpu(const std::vector<Sweep>& sweeps);

// The UUIDs of the GPUs at these indices; empty if one of them is unknown.
std::vector<std::string> uuids_of(const std::vector<int>& chosen, const std::vector<Gpu>& gpus);

}  // namespace tocuda
