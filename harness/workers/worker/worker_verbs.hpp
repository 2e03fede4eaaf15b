// tocuda, Apache-2.0.
// The main function of a worker and the verbs that it answers: describe, observe, judge, measure, skips.
#pragma once

#include <functional>
#include <istream>
#include <map>
#include <ostream>
#include <string>

#include "model/evidence.hpp"
#include "model/scenario.hpp"

namespace tocuda {

using SayLine = std::function<void(const std::string& line)>;  // writes a line to descriptor 3

// Exit code of `measure`: a GPU no longer answers in this process, so another process must measure the remaining sets.
constexpr int context_lost = 71;

// What a worker with benchmarks adds.
struct BenchmarkWords {
    std::function<void(const SayLine&)> describe{};
    // `measure NAME`: turns standard input into lines. Returns the exit code.
    std::function<int(const std::string& name, std::istream& lines, const SayLine&, std::ostream& complain)> measure{};
    // `skips NAME`: the same without measuring: a line for each set that would be skipped, with the reason.
    decltype(measure) skips{};
};

// Callbacks into the library that a worker is built on.
struct Hooks {
    std::function<bool()> gpu_answered;  // after an observation: whether a GPU answered in this process
    std::function<bool()> gpu_computes;  // whether values that come back from the GPU now were computed by it
    // What the GPU lacks of a variant's needs, and, where an exception is handled, what it lacked if that was the
    // cause; empty if it lacks nothing.
    std::function<std::string(const Needs&)> lacking{};
    std::function<std::string()> lacked_by_this_exception{};
    std::map<std::string, std::string> built_with{};  // "libtorch": "2.15.0"
    BenchmarkWords benchmarks{};
};

int worker_main(int count, char** arguments, const Hooks& hooks);

}  // namespace tocuda
