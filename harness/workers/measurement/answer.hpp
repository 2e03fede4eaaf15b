// tocuda, Apache-2.0.
// The commands of a worker that holds benchmarks: `describe` lists them, `measure` runs one,
// `skips` says what it would not measure.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "measurement/instruments.hpp"
#include "measurement/registered_benchmark.hpp"
#include "worker/worker_verbs.hpp"

namespace tocuda {

// Called only when there is something to measure, because it may throw if there is no GPU.
using TakeInstruments = std::function<std::unique_ptr<Instruments>()>;

BenchmarkWords answer_with(std::vector<Measurable> measurables, const TakeInstruments& take);

// The main function of a worker with the registered benchmarks. With Google Benchmark's flags it is one of its
// programs.
int benchmark_worker_main(int count, char** arguments, Hooks hooks, const TakeInstruments& take);

}  // namespace tocuda
