// tocuda, Apache-2.0.
// The commands of a worker that holds benchmarks: `describe` lists them, `measure` runs one.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "measurement/instruments.hpp"
#include "measurement/registered_benchmark.hpp"
#include "worker/four_words.hpp"

namespace tocuda {

// Called only when there is something to measure, because it may throw if there is no GPU.
using TakeInstruments = std::function<std::unique_ptr<Instruments>()>;

BenchmarkWords answer_with(std::vector<Measurable> measurables, TakeInstruments take);

}  // namespace tocuda
