// tocuda, Apache-2.0.
// Benchmarks, parameter sets and protocols as JSON, with the same fields in worker lines, result files and documents.
#pragma once

#include <algorithm>
#include <span>

#include "lines/json.hpp"
#include "model/benchmark.hpp"

namespace tocuda::json {

Json of_benchmark(const Benchmark& benchmark);
Benchmark to_benchmark(const Json& object);
Json of_parameters(const Parameters& parameters);
Parameters to_parameters(const Json& object);
Json of_protocol(const Protocol& protocol);
Protocol to_protocol(const Json& object);  // missing fields keep their defaults

// Reads a word of an enumeration whose values count from 0 in the order of `words`.
template <class Word>
Word word_field(const Json& object, const char* name, std::span<const std::string_view> words) {
    const auto text = field<std::string>(object, name);
    const auto found = std::find(words.begin(), words.end(), text);
    if (found == words.end()) throw Malformed("'" + text + "' is not a valid " + name);
    return static_cast<Word>(found - words.begin());
}

}  // namespace tocuda::json
