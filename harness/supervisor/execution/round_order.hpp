// tocuda, Apache-2.0.
// In which order a round measures units and their parameter sets. Pure: units, seed and round determine it, so that a
// resumed or reproduced measurement repeats it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "execution/bench_unit.hpp"

namespace tocuda {

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
