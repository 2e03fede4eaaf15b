// tocuda, Apache-2.0.
// Parses the command line of each verb that starts children into its request.
#pragma once

#include "command/verb.hpp"
#include "request/request.hpp"

namespace tocuda {

// Each returns the request, or the exit code (help, or a usage error; it has been printed).
OrExit<RunRequest> parse_run(const Words& words);
OrExit<BenchRequest> parse_bench(const Words& words);
OrExit<ReproduceRequest> parse_reproduce(const Words& words);

}  // namespace tocuda
