// tocuda, Apache-2.0.
// `bench --against DIR`: measures this build and another one in turns, each into its own file.
#pragma once

#include "request/catalogue.hpp"
#include "request/request.hpp"
#include "terminal/complaint.hpp"

namespace tocuda {

// Returns the exit code.
OrExit<int> bench_against(const BenchRequest& request, const Catalogue& catalogue);

}  // namespace tocuda
