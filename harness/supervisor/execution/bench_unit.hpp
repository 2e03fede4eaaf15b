// tocuda, Apache-2.0.
// What `bench` measures, and in which portions.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

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

}  // namespace tocuda
