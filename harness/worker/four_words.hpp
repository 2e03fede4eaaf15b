// tocuda, Apache-2.0.
// The four words that a worker understands.
#pragma once

#include <functional>
#include <istream>
#include <map>
#include <ostream>
#include <string>

#include "model/evidence.hpp"

namespace tocuda {

using SayLine = std::function<void(const std::string& line)>;  // a line on descriptor 3

// Exit code of `measure`: a GPU answers nothing more in this process; the sets that were not said have to be measured by another.
constexpr int context_lost = 71;

// What a worker that holds benchmarks adds.
struct BenchmarkWords {
    std::function<void(const SayLine&)> describe{};
    // `measure NAME`: what comes on standard input, to lines. Returns the exit code.
    std::function<int(const std::string& name, std::istream& lines, const SayLine&, std::ostream& complain)> measure{};
};

// What the harness asks of the library that a worker is built on.
struct Hooks {
    std::function<bool()> gpu_answered;   // after an observation: did a GPU answer in this process?
    std::function<bool()> gpu_computes;   // now: is what comes back from the GPU computed by it?
    std::function<void()> before_observe; // once, before a scenario runs
    std::map<std::string, std::string> built_with{};  // "libtorch": "2.15.0"
    BenchmarkWords benchmarks{};
};

int worker_main(int count, char** arguments, const Hooks& hooks);

}  // namespace tocuda
