// tocuda, Apache-2.0.
// How a benchmark comes to be known: one object in its kernel's own file.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "measurement/trial.hpp"
#include "model/benchmark.hpp"

namespace tocuda {

struct Measurable {
    Benchmark benchmark;
    // Once a process, with all of its sets: takes the memory for the largest that fits. Fails with a CudaError.
    std::function<std::unique_ptr<Bench>(const std::vector<Parameters>&)> set_up;
};

class RegisteredBenchmark {
public:
    explicit RegisteredBenchmark(Measurable measurable);
};

// The most bytes of the sets that fit, 0 where none does.
std::size_t largest_that_fits(const std::vector<Parameters>& sets, const std::function<bool(const Parameters&)>& fits);

std::vector<Measurable> registered_benchmarks();  // in the order of the names

}  // namespace tocuda
