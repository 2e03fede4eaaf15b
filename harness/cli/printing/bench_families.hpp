// tocuda, Apache-2.0.
// Groups measured rows for a table: by folder, clock and GPU, and within these the sizes of each benchmark. Pure.
#pragma once

#include <string>
#include <vector>

#include "model/summary.hpp"

namespace tocuda {

// The sizes of one benchmark with otherwise equal parameters, from the smallest to the largest.
struct BenchPath {
    std::string label{};  // the benchmark and the parameters that vary between its paths
    std::vector<const RowSummary*> rows{};
};

// The benchmarks of a folder on one GPU, by one clock.
struct BenchFamily {
    std::string name{};
    std::string about{};  // the clock, the GPU if there are several, and the parameters that do not vary
    std::vector<BenchPath> paths{};
};

// Without the skipped rows.
std::vector<BenchFamily> bench_families(const std::vector<RowSummary>& rows);

Parameters without_bytes(Parameters parameters);

// "FOLDER/" of "FOLDER/NAME".
inline std::string folder_of(const std::string& benchmark) { return benchmark.substr(0, benchmark.rfind('/') + 1); }

}  // namespace tocuda
