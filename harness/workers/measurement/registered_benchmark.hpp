// tocuda, Apache-2.0.
// Registers a benchmark: one static object in the file that implements it.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "measurement/trial.hpp"
#include "model/benchmark.hpp"

namespace tocuda {

struct Measurable {
    Benchmark benchmark;
    // Called once per process with all its sets; allocates memory for the largest that fits. Throws CudaError.
    std::function<std::unique_ptr<Bench>(const std::vector<Parameters>&)> set_up;
    // Set if every operation is a process of its own that starts to use the GPU. This process must not use it
    // meanwhile, and learns in this way which one that is: returns its UUID. Throws if there is none.
    std::function<std::string()> gpu_of_new_process{};

    bool uses_gpu_itself() const { return benchmark.needs.gpus != 0 && !gpu_of_new_process; }
};

class RegisteredBenchmark {
public:
    explicit RegisteredBenchmark(Measurable measurable);
};

// The group of a benchmark that names none: the longest folder of its name that has a place in the order in which
// people usually want the answers, otherwise the first one, after all of these.
Group group_of_folder(const std::string& benchmark);

// Returns the most bytes of the sets that fit; 0 if none does.
std::size_t largest_that_fits(const std::vector<Parameters>& sets, const std::function<bool(const Parameters&)>& fits);

std::vector<Measurable> registered_benchmarks();  // sorted by name

// Uses every value of a full measurement, except for the parameters whose values are given here. Group and cost stay.
inline Measurable tuning(Measurable of, std::string name, std::map<std::string, Values> given) {
    auto& benchmark = of.benchmark;
    if (benchmark.group.name.empty()) benchmark.group = group_of_folder(benchmark.name);
    benchmark.name = std::string(tuning_folder) + std::move(name);
    benchmark.summary = "measure every variant at one size, to choose the best: " + benchmark.summary;
    for (auto& [parameter, values] : benchmark.full) benchmark.parameters[parameter] = values;
    for (auto& [parameter, values] : given) benchmark.parameters[parameter] = std::move(values);
    benchmark.quick = {};
    benchmark.full = {};
    return of;
}

}  // namespace tocuda
