// tocuda, Apache-2.0.
// What `tocuda bench` was asked for.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "command/sweep.hpp"
#include "command/verb.hpp"
#include "model/machine.hpp"

namespace tocuda {

struct BenchOptions {
    Wanted wanted{};
    int seed = 1;
    double budget = 0;      // seconds for the whole; 0: the protocol's
    double seconds = 0;     // a deadline for each child; 0: by what it measures
    int jobs = 0;           // 0: one for each core
    std::string gpus{};     // "0,3", a UUID, "all"; empty: the first
    bool together = false;  // all of them at once
    std::string simulate{};
    bool real = false;
    std::string output = "results/local";
    std::string resume{};
    std::string against{};  // the folder of another build
    bool strict = false;
    bool json = false;
    bool quiet = false;
};

// The options, or the exit code where there is nothing to measure.
std::variant<BenchOptions, int> parse_bench_options(const Words& words);

// What a recorded section was asked for, or nothing where its command line is not understood.
std::optional<BenchOptions> recorded_bench_options(const RunLine& run);

// What a command line asked to be measured, with how that is to be shown and how long it may take as `now` says.
BenchOptions resumed(BenchOptions before, const BenchOptions& now);

}  // namespace tocuda
