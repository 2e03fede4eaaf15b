// tocuda, Apache-2.0.
// `bench --against DIR`: measures this build and another one in turns, each into its own file.
#pragma once

#include "command/bench_options.hpp"

namespace tocuda {

// Returns the exit code. `started` is when the command began.
int bench_against(const BenchOptions& options, const Words& words, double started);

}  // namespace tocuda
