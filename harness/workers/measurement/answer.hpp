// tocuda, Apache-2.0.
// The commands of a worker that holds benchmarks: `describe` lists them, `measure` runs one,
// `skips` says what it would not measure.
#pragma once

#include <functional>
#include <memory>
#include <optional>
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

// Runs the benchmarks of a worker as those of an ordinary Google Benchmark program, for people and their tools.

// Returns the exit code if an argument is one of Google Benchmark's flags, nullopt otherwise. Each parameter set of a
// default or a full measurement is a benchmark named NAME/KEY:VALUE/..., with manual time.
std::optional<int> ran_as_google_benchmark(int count, char** arguments, const std::vector<Measurable>& measurables,
                                           const TakeInstruments& take);

}  // namespace tocuda
