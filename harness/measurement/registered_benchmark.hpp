// tocuda, Apache-2.0.
// Registers a benchmark: one static object in the file that implements it.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "measurement/trial.hpp"
#include "model/benchmark.hpp"

namespace tocuda {

struct Measurable {
    Benchmark benchmark;
    // Called once per process with all its sets; allocates memory for the largest that fits. Throws CudaError.
    std::function<std::unique_ptr<Bench>(const std::vector<Parameters>&)> set_up;
};

class RegisteredBenchmark {
public:
    explicit RegisteredBenchmark(Measurable measurable);
};

// Returns the most bytes of the sets that fit; 0 if none does.
std::size_t largest_that_fits(const std::vector<Parameters>& sets, const std::function<bool(const Parameters&)>& fits);

std::vector<Measurable> registered_benchmarks();  // sorted by name

}  // namespace tocuda
