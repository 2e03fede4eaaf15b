// tocuda, Apache-2.0.
// Which benchmarks are measured together, and which group is measured first, in case time runs out. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "model/benchmark.hpp"

namespace tocuda {

struct BenchGroup {
    std::string name{};
    std::vector<std::size_t> members{};  // positions in the list, ascending

    bool operator==(const BenchGroup&) const = default;
};

// By their order, and those of the same order by name.
std::vector<BenchGroup> bench_groups(const std::vector<Group>& each);

}  // namespace tocuda
