// tocuda, Apache-2.0.
// What a person wants of one parameter: key=value, key=a,b or key=a..b. Pure.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "lines/parsed.hpp"
#include "model/benchmark.hpp"

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

// Of "bytes=4KiB..1GiB". Amounts are read here, so that what is no amount is refused before anything else is looked at.
Parsed<ParameterChoice> parameter_choice(const std::string& word);

// Its values for one benchmark: a value stands for itself; a range takes what the sweep holds between its ends and, for
// `bytes`, the powers of 4. Words must be among those that the benchmark knows. Empty where nothing of it suits; what
// is wrong where a value is of another kind.
using ChosenValues = std::variant<Values, std::string>;
ChosenValues values_of(const ParameterChoice& choice, const Benchmark& benchmark, const Values& sweep);

// Every value that the benchmark names for a parameter: by default, quick and full.
Values known_values(const Benchmark& benchmark, const std::string& parameter);

}  // namespace tocuda
