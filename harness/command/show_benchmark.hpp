// tocuda, Apache-2.0.
// `tocuda show` of a benchmark: what is measured, how, with which parameters, and what was last measured here.
#pragma once

#include <filesystem>

#include "command/paper.hpp"
#include "lines/documents.hpp"

namespace tocuda {

void print_benchmark(const ListedBenchmark& listed, const std::filesystem::path& results, const Paper& paper);

}  // namespace tocuda
