// tocuda, Apache-2.0.
// `bench --against DIR` and `--against-driver DIR`: measures this build and another one in turns, or the same with the
// installed libcuda and with another.
#pragma once

#include <optional>
#include <string>

#include "request/catalogue.hpp"
#include "request/request.hpp"
#include "terminal/complaint.hpp"

namespace tocuda {

// Returns the exit code.
OrExit<int> bench_against(const BenchRequest& request, const Catalogue& catalogue);
OrExit<int> bench_against_driver(const BenchRequest& request, const Catalogue& catalogue);

// Why --against-driver does not compare its libcuda with the one that is loaded without it, both named by their files;
// empty if it does.
std::string why_not_compared(const std::string& theirs, const std::string& ours,
                             const std::optional<std::string>& module);

}  // namespace tocuda
