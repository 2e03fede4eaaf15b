// tocuda, Apache-2.0.
// The words of a worker that holds benchmarks: their descriptions, and `measure`.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "measurement/instruments.hpp"
#include "measurement/registered_benchmark.hpp"
#include "worker/four_words.hpp"

namespace tocuda {

// Taken only once something is to be measured: it may throw where there is no GPU.
using TakeInstruments = std::function<std::unique_ptr<Instruments>()>;

BenchmarkWords answer_with(std::vector<Measurable> measurables, TakeInstruments take);

}  // namespace tocuda
