// tocuda, Apache-2.0.
// Which benchmarks belong together, and whose turn is first where time is short. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace tocuda {

// The group of a benchmark: the longest of the beginnings in the list of priorities that its name has; otherwise what
// stands before its first slash.
std::string group_of(const std::string& benchmark);

struct BenchGroup {
    std::string name{};
    std::vector<std::size_t> members{};  // positions in the list of names, in their order

    bool operator==(const BenchGroup&) const = default;
};

// Those of the list of priorities in its order, then all others by name.
std::vector<BenchGroup> bench_groups(const std::vector<std::string>& benchmarks);

}  // namespace tocuda
