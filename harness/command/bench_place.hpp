// tocuda, Apache-2.0.
// Chooses the GPUs that `bench` measures: the requested ones, the rank's own, or the first. A GPU is simulated only on
// request.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "command/bench_options.hpp"
#include "command/run_facts.hpp"

namespace tocuda {

// Prints the problem after the verb's name; returns the code.
int complain_of_bench(int code, const std::string& what);

// Fills `facts.chosen` and what depends on it. Returns the exit code, after printing why, if nothing can be measured.
std::optional<int> choose_place(RunFacts& facts, const BenchOptions& options, const std::vector<Sweep>& sweeps);

// The first line of the output.
std::string where_it_is_measured(const RunFacts& facts);

// True if a benchmark that needs several GPUs may use only the chosen ones.
bool chosen_by_name(const RunFacts& facts, const BenchOptions& options);

}  // namespace tocuda
