// tocuda, Apache-2.0.
// Formats scenarios and benchmarks, a line each, for `list` and for what `show` finds.
#pragma once

#include <string>
#include <vector>

#include "lines/documents.hpp"
#include "terminal/paper.hpp"

namespace tocuda {

std::string listing_table(const std::vector<Listed>& scenarios, const std::vector<ListedBenchmark>& benchmarks,
                          const Paper& paper);

}  // namespace tocuda
