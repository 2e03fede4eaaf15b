// tocuda, Apache-2.0.
// Parses the values chosen for one parameter: KEY=VALUE, KEY=A,B or KEY=A..B. Pure.
#pragma once

#include <string>
#include <vector>

#include "model/benchmark.hpp"
#include "model/problem.hpp"

namespace tocuda {

struct ParameterChoice {
    std::string word;  // as it was given
    std::string name;
    struct Part {
        std::string from;
        std::string to;  // empty: one value, not a range
    };
    std::vector<Part> parts;
};

// Parses a choice such as "bytes=4KiB..1GiB". Amounts are checked here, so that invalid ones are refused first.
Expected<ParameterChoice> parameter_choice(const std::string& word);

// Returns its values for one benchmark: a value stands for itself; a range selects the sweep's values between its ends
// and, for `bytes`, the powers of 4. Words must be among those that the benchmark knows, whole numbers allowed. Empty
// if nothing matches; an error message if a value is of the wrong type.
Expected<Values> values_of(const ParameterChoice& choice, const Benchmark& benchmark, const Values& sweep);

// Returns why the benchmark does not allow the choice's first value, if that is a number; else an empty text.
std::string why_not_allowed(const ParameterChoice& choice, const Benchmark& benchmark);

}  // namespace tocuda
