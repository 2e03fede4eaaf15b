// tocuda, Apache-2.0.
// Determines which parameter sets are measured, from patterns, choices and the protocol. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "request/catalogue.hpp"
#include "request/parameter_choice.hpp"

namespace tocuda {

struct Wanted {
    std::vector<std::string> patterns{};
    std::vector<ParameterChoice> choices{};
    std::string protocol = "default";  // quick, default, full
    bool characterise = false;         // the selection of characterise.hpp instead of the patterns
};

// One benchmark and the parameter sets to measure.
struct Sweep {
    const Worker* worker = nullptr;
    Benchmark benchmark;
    std::vector<Parameters> sets;
};

struct Sweeps {
    std::vector<Sweep> sweeps{};            // sorted by name
    std::vector<std::string> left_out{};    // names of the benchmarks that a choice excludes
    std::vector<std::string> on_request{};  // names of the benchmarks that the protocol skips
};

// Returns one line about what is wrong if the selection is not valid.
Expected<Sweeps> sweeps_of(const Catalogue& catalogue, const Wanted& wanted);

// Sets of more bytes than `most` get `instead`, or go if the benchmark does not allow that. Returns their number.
std::size_t lower_sets_above(Sweeps& sweeps, std::int64_t most, std::int64_t instead);

// Of benchmarks of several GPUs, removes the sets whose `from` or `to` is none of this many GPUs, or both the same;
// unless that is all of them, because someone chose such a GPU: the rows then say what is wrong.
void remove_pairs_beyond(Sweeps& sweeps, std::int64_t gpus);

// Returns why nothing is left to measure; empty if something is.
std::string why_nothing_to_measure(const Sweeps& sweeps, const Wanted& wanted);

// The protocol named quick, default or full: how much is measured, and how often.
Protocol protocol_called(const std::string& name);

}  // namespace tocuda
