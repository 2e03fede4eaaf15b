// tocuda, Apache-2.0.
// Which GPU each benchmark is measured on, and what has to be skipped for want of one: pure.
#pragma once

#include <vector>

#include "command/bench_rounds.hpp"
#include "command/plan.hpp"
#include "model/machine.hpp"

namespace tocuda {

// `chosen` are indices of `gpus`; `by_name` says that a person chose them: otherwise a benchmark that needs several
// takes whatever there are.
std::vector<BenchUnit> bench_units(const std::vector<Sweep>& sweeps, const std::vector<int>& chosen, bool by_name,
                                   const std::vector<Gpu>& gpus);

// The same for measuring all of the chosen at once: what is measured on one GPU.
std::vector<BenchUnit> units_at_once(const std::vector<Sweep>& sweeps, const std::vector<int>& chosen,
                                     const std::vector<Gpu>& gpus);

// The parameter that rows have of what was measured on several GPUs at once: on how many. What was measured alone is
// another row.
inline constexpr const char* at_once_parameter = "at_once";

bool needs_a_gpu(const std::vector<Sweep>& sweeps);

}  // namespace tocuda
