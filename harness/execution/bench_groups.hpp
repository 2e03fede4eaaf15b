// tocuda, Apache-2.0.
// Sorts benchmarks into groups and decides which group is measured first, in case time runs out. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace tocuda {

// The group of a benchmark: the longest folder of the priority list that contains it; otherwise the part of its name
// before the first slash.
std::string group_of(const std::string& benchmark);

struct BenchGroup {
    std::string name{};
    std::vector<std::size_t> members{};  // positions in the list of names, ascending

    bool operator==(const BenchGroup&) const = default;
};

// The groups of the priority list in its order, then all others by name.
std::vector<BenchGroup> bench_groups(const std::vector<std::string>& benchmarks);

}  // namespace tocuda
