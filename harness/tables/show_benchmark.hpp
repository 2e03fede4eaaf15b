// tocuda, Apache-2.0.
// Prints a benchmark for `tocuda show`: what is measured, how, its parameters, and the last result on this machine.
#pragma once

#include <filesystem>

#include "lines/documents.hpp"
#include "terminal/paper.hpp"

namespace tocuda {

void print_benchmark(const ListedBenchmark& listed, const std::filesystem::path& results, const Paper& paper);

}  // namespace tocuda
