// tocuda, Apache-2.0.
// Runs the benchmarks of a worker as those of an ordinary Google Benchmark program, for people and their tools.
#pragma once

#include <optional>
#include <vector>

#include "measurement/answer.hpp"

namespace tocuda {

// Returns the exit code if an argument is one of Google Benchmark's flags, nullopt otherwise. Each parameter set of a
// default or a full measurement is a benchmark named NAME/KEY:VALUE/..., with manual time.
std::optional<int> ran_as_google_benchmark(int count, char** arguments, const std::vector<Measurable>& measurables,
                                           const TakeInstruments& take);

}  // namespace tocuda
