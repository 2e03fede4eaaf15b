// tocuda, Apache-2.0.
// Registers a benchmark: one static object in the file that implements it. What the benchmarks of a folder share may be
// said once, by their family.
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

// A folder of benchmarks. What one of them does not say itself, the family with the longest folder says: its group and,
// unless it is `alone`, of its role the pictures, the heading, the question, what is compared, the campaign's step and
// what is true.
struct Family {
    std::string folder{};  // without the last slash
    Group group{};         // an empty name: the folder
    Role role{};
};

class RegisteredFamily {
public:
    explicit RegisteredFamily(Family family);
};

// Returns the most bytes of the sets that fit; 0 if none does.
std::size_t largest_that_fits(const std::vector<Parameters>& sets, const std::function<bool(const Parameters&)>& fits);

std::vector<Measurable> registered_benchmarks();  // sorted by name

// The benchmark that measures every variant, to choose the best. Uses every value of a full measurement, except for the
// parameters whose values are given here. Group and cost stay.
Measurable tuning(Measurable of, const std::string& name, const std::map<std::string, Values>& given);

}  // namespace tocuda
