// tocuda, Apache-2.0.
// What two builds both measure: the benchmarks and parameter sets that each of them holds. Pure.
#pragma once

#include <string>
#include <vector>

#include "command/bench_rounds.hpp"

namespace tocuda {

struct PairedSweeps {
    std::vector<Sweep> ours{};
    std::vector<Sweep> theirs{};         // beside them, with the same sets in the same order
    std::vector<std::string> alone{};    // benchmarks that only one of them holds, or measures by another clock
};

PairedSweeps paired_sweeps(const Sweeps& ours, const Sweeps& theirs);

// Units of both, one after the other; `units` are those of `ours`.
std::vector<BenchUnit> paired_units(const std::vector<BenchUnit>& units, const PairedSweeps& sweeps);

}  // namespace tocuda
