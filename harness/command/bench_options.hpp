// tocuda, Apache-2.0.
// The options of `tocuda bench`.
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
    double budget = 0;      // seconds for everything; 0: the protocol's
    double seconds = 0;     // deadline of each child; 0: chosen by what it measures
    int jobs = 0;           // 0: one for each core
    std::string gpus{};     // "0,3", a UUID, "all"; empty: the first
    bool together = false;  // measures all of them at once
    std::string simulate{};
    bool real = false;
    std::string output = "results/local";
    std::string resume{};
    std::string against{};  // the folder of another build
    bool strict = false;
    bool json = false;
    bool quiet = false;
};

// Returns the options, or the exit code if the command ends here (help, or a usage error that has been printed).
std::variant<BenchOptions, int> parse_bench_options(const Words& words);

// Parses the command line of a recorded section; nullopt if it cannot be parsed.
std::optional<BenchOptions> recorded_bench_options(const RunLine& run);

// The options of a resumed measurement: `before` says what is measured, `now` how it is shown and how long it may take.
BenchOptions resumed(BenchOptions before, const BenchOptions& now);

}  // namespace tocuda
