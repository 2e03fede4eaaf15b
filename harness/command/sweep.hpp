// tocuda, Apache-2.0.
// From patterns and choices to the parameter sets that are to be measured: pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "command/catalogue.hpp"
#include "command/parameter_choice.hpp"

namespace tocuda {

struct Wanted {
    std::vector<std::string> patterns{};
    std::vector<ParameterChoice> choices{};
    std::string protocol = "default";  // quick, default, full
};

// One benchmark, and the sets of it that are measured.
struct Sweep {
    const Worker* worker = nullptr;
    Benchmark benchmark;
    std::vector<Parameters> sets;
};

struct Sweeps {
    std::vector<Sweep> sweeps{};            // in the order of their names
    std::vector<std::string> left_out{};    // names of benchmarks that a choice leaves out
    std::vector<std::string> on_request{};  // and of those that the protocol leaves out
};

// Or one line about what is wrong with what was asked for.
std::variant<Sweeps, std::string> sweeps_of(const Catalogue& catalogue, const Wanted& wanted);

// Removes the sets of more than `bytes` and returns how many these were.
std::size_t remove_sets_above(Sweeps& sweeps, std::int64_t bytes);

// Where that is nothing at all: why. Otherwise nothing.
std::string why_nothing_to_measure(const Sweeps& sweeps, const Wanted& wanted);

// What is measured, and how often, by quick, default and full.
Protocol protocol_called(const std::string& name);

}  // namespace tocuda
