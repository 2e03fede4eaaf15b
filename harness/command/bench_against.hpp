// tocuda, Apache-2.0.
// `bench --against DIR`: this build and another one, measured in turns, each into a file of its own.
#pragma once

#include "command/bench_options.hpp"

namespace tocuda {

// The exit code. `started` is when it began.
int bench_against(const BenchOptions& options, const Words& words, double started);

}  // namespace tocuda
