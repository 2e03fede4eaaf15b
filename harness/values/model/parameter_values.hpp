// tocuda, Apache-2.0.
// The values that the parameters of a benchmark may have, and parameters as text.
#pragma once

#include <string>

#include "model/benchmark.hpp"

namespace tocuda {

// The values that the parameters of a benchmark may have.

// Those of its sweeps, and words that it allows beside them, each once.
Values known_values(const Benchmark& benchmark, const std::string& parameter);

// "hint must be one of plain, streaming, not warm"; empty if it is allowed: any whole number, unless the benchmark says
// otherwise, and known words.
std::string why_not_allowed(const Benchmark& benchmark, const std::string& parameter, const Value& value);

// Parameters as text, for people and for row ids: key=value, integers in decimal.
std::string plain(const Value& value);
std::string plain(const Parameters& parameters);  // "bytes=65536 memory=pinned", sorted by name

// Orders such values: numbers before words, 64 before 128.
struct ByValue {
    bool operator()(const std::string& left, const std::string& right) const;
};

}  // namespace tocuda
