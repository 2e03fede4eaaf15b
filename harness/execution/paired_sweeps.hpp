// tocuda, Apache-2.0.
// Finds what two builds can both measure: the benchmarks and parameter sets that each of them has. Pure.
#pragma once

#include <string>
#include <vector>

#include "execution/bench_rounds.hpp"

namespace tocuda {

struct PairedSweeps {
    std::vector<Sweep> ours{};
    std::vector<Sweep> theirs{};       // the same sets in the same order
    std::vector<std::string> alone{};  // benchmarks that only one build has, or that they measure by different clocks
};

PairedSweeps paired_sweeps(const Sweeps& ours, const Sweeps& theirs);

// Returns the units of both builds, alternating; `units` are those of `ours`.
std::vector<BenchUnit> paired_units(const std::vector<BenchUnit>& units, const PairedSweeps& sweeps);

}  // namespace tocuda
