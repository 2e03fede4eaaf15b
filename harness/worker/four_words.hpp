// tocuda, Apache-2.0.
// The four words that a worker understands.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "model/evidence.hpp"

namespace tocuda {

// What the harness asks of the library that a worker is built on.
struct Hooks {
    std::function<bool()> gpu_answered;   // after an observation: did a GPU answer in this process?
    std::function<bool()> gpu_computes;   // now: is what comes back from the GPU computed by it?
    std::function<void()> before_observe; // once, before a scenario runs
    std::map<std::string, std::string> built_with{};  // "libtorch": "2.15.0"
};

int worker_main(int count, char** arguments, const Hooks& hooks);

}  // namespace tocuda
