// tocuda, Apache-2.0.
// `bench --against DIR` and `--against-driver DIR`: measures this build and another one in turns, or the same with the
// installed libcuda and with another.
#pragma once

#include "request/catalogue.hpp"
#include "request/request.hpp"
#include "terminal/complaint.hpp"

namespace tocuda {

// Returns the exit code.
OrExit<int> bench_against(const BenchRequest& request, const Catalogue& catalogue);
OrExit<int> bench_against_driver(const BenchRequest& request, const Catalogue& catalogue);

}  // namespace tocuda
