// tocuda, Apache-2.0.
// The bench for operations on several arrays within one GPU. The expected result of one of them is computed in another
// array.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "measurement/device_memory.hpp"
#include "measurement/gpu/gpu_facts.hpp"
#include "measurement/registered_benchmark.hpp"

namespace tocuda {

// The memory that one parameter set uses and touches.
struct ArraySizes {
    std::vector<std::size_t> bytes{};  // of each array; the first is the target
    std::size_t one_way = 0;
    std::size_t touched = 0;
};

using Arrays = std::vector<std::byte*>;

struct OverArrays {
    std::function<ArraySizes(const Parameters&, const GpuFacts&)> sizes;
    // Fills the input arrays. Called before each check, because other sets use the same memory.
    std::function<void(const Stream&, const Arrays&, const Parameters&)> fill;
    std::function<std::function<void(const Stream&, const Arrays&)>(const Parameters&, const GpuFacts&)> operation;
    // Queues the computation of the expected result; if empty, `found_wrong` checks the arrays and returns what is
    // wrong.
    std::function<void(const Stream&, std::byte* to, const Parameters&)> expected{};
    std::function<std::function<std::string(const Stream&, const Arrays&)>(const Parameters&, const GpuFacts&)>
        found_wrong{};
    std::string compared = "every byte, and 256 after";
    int compute_capability = 0;
    std::function<std::string(const Parameters&, const GpuFacts&)> why_skipped{};
    std::function<std::vector<std::string>(const Parameters&, const GpuFacts&)> flags{};
};

std::unique_ptr<Bench> array_bench(const std::vector<Parameters>& sets, const OverArrays& over);

}  // namespace tocuda
