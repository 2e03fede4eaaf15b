// tocuda, Apache-2.0.
// The values that the parameters of a benchmark may have.
#pragma once

#include <string>

#include "model/benchmark.hpp"

namespace tocuda {

// Those of its sweeps, and words that it allows beside them, each once.
Values known_values(const Benchmark& benchmark, const std::string& parameter);

// "hint must be one of plain, streaming, not warm"; empty if it is allowed: any whole number, unless the benchmark says
// otherwise, and known words.
std::string why_not_allowed(const Benchmark& benchmark, const std::string& parameter, const Value& value);

}  // namespace tocuda
