// tocuda, Apache-2.0.
// How a benchmark comes to be known: one object in its kernel's own file.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "model/benchmark.hpp"

namespace tocuda {

using SaySamples = std::function<void(const Samples&)>;

struct Measurable {
    Benchmark benchmark;
    // All sets of one process, in their order; one call of the second argument for each.
    std::function<void(const std::vector<Parameters>&, const SaySamples&)> measure;
};

class RegisteredBenchmark {
public:
    explicit RegisteredBenchmark(Measurable measurable);
};

std::vector<Measurable> registered_benchmarks();  // in the order of the names

}  // namespace tocuda
