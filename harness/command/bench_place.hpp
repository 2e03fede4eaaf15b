// tocuda, Apache-2.0.
// Where `bench` measures: the GPU that was asked for, a rank's own, or the first; a simulated one only where that was
// asked for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "command/bench_options.hpp"
#include "command/run_facts.hpp"

namespace tocuda {

// Says what is wrong, after the verb's name; returns the code.
int complain_of_bench(int code, const std::string& what);

// `facts.chosen` and what goes with it; or the exit code where there is nothing to measure on, which has been said.
std::optional<int> choose_place(RunFacts& facts, const BenchOptions& options, const std::vector<Sweep>& sweeps);

// For the first line that a person sees.
std::string where_it_is_measured(const RunFacts& facts);

// Whether a benchmark that needs several GPUs is held to those that were chosen.
bool chosen_by_name(const RunFacts& facts, const BenchOptions& options);

}  // namespace tocuda
