// tocuda, Apache-2.0.
// Runs a function with Google Benchmark as one benchmark with a fixed number of iterations and manual time. This
// project decides what is measured, how often, and how it is evaluated.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace tocuda {

// Calls `body` `count` times. It must return seconds and not throw. Google Benchmark's flags and environment variables
// have no effect.
void iterate(const std::string& name, std::int64_t count, const std::function<double()>& body);

}  // namespace tocuda
