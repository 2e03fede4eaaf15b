// tocuda, Apache-2.0.
// What `bench` measures, in which portions and in which order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/benchmark.hpp"
#include "request/sweep.hpp"

namespace tocuda {

// The libcuda that processes must load, which they then name.
struct UserDriver {
    std::string folder{};  // where the loader looks first; empty: nowhere else than usual
    std::string file{};
};

// One benchmark on one GPU, or on all of them together where it needs several.
struct BenchUnit {
    const Sweep* sweep = nullptr;
    std::vector<int> gpus{};             // indices of the GPUs that its processes see; empty if it needs none
    std::string skipped{};               // what is needed and what was found; empty if it is measured
    bool at_once = false;                // one process for each of its GPUs, all at the same time
    const UserDriver* driver = nullptr;  // null: whatever it loads
};

// What one process measures; `sets` in this order.
struct Assignment {
    std::size_t unit = 0;
    int round = 0;
    std::vector<Parameters> sets{};
    bool asks = false;  // only which of the sets would be skipped
};

// Which benchmarks are measured together, and which group is measured first, in case time runs out. Pure.
struct BenchGroup {
    std::string name{};
    std::vector<std::size_t> members{};  // positions in the list, ascending

    bool operator==(const BenchGroup&) const = default;
};

// By their order, and those of the same order by name.
std::vector<BenchGroup> bench_groups(const std::vector<Group>& each);

// In which order a round measures units and their parameter sets. Pure: units, seed and round determine it, so that a
// resumed or reproduced measurement repeats it.
class RoundOrder {
public:
    // Numbers of sets that differ only in the alternating parameter. A worker measures these in turns.
    using Family = std::vector<std::size_t>;

    // `pairs`: units 0 and 1, 2 and 3, ... stay together.
    RoundOrder(std::span<const BenchUnit> units, std::uint64_t seed, bool pairs);

    std::vector<std::size_t> units(int round) const;
    std::vector<std::size_t> sets(std::size_t unit, int round) const;  // their numbers
    const std::vector<Family>& families(std::size_t unit) const { return of_unit.at(unit); }

private:
    std::vector<std::vector<Family>> of_unit{};
    std::uint64_t seed;
    bool pairs;
};

}  // namespace tocuda
