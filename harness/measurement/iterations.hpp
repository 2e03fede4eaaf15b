// tocuda, Apache-2.0.
// Google Benchmark registers one benchmark with a fixed number of iterations and manual time, and runs it. What is
// measured, how often and what it is worth is decided here, not there.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace tocuda {

// Calls `body` so often; it answers with seconds, and throws nothing. Flags and variables of Google Benchmark change
// nothing.
void iterate(const std::string& name, std::int64_t count, const std::function<double()>& body);

}  // namespace tocuda
