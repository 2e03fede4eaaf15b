// tocuda, Apache-2.0.
// The options of `tocuda run`.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "command/verb.hpp"
#include "model/machine.hpp"

namespace tocuda {

struct RunOptions {
    std::vector<std::string> patterns{};
    std::string output = "results/local";
    std::string resume{};
    int jobs = 0;        // 0: one per core
    double seconds = 0;  // 0: each variant's own deadline
    bool json = false;
    bool quiet = false;
    bool strict = false;
    bool real = false;       // never simulate
    std::string simulate{};  // a SPEC; empty: simulate only if there is no GPU
    std::string gpus{};      // "0,3" or a UUID; empty: all, or the rank's own
};

// Returns the options, or the exit code if there is nothing to run.
std::variant<RunOptions, int> parse_run_options(const Words& words);

// Returns the options of a recorded section; nullopt if its command line cannot be parsed.
std::optional<RunOptions> recorded_run_options(const RunLine& run);

// Takes the patterns from `before`, and where to run too unless `now` says where; everything else from `now`.
RunOptions resumed(const RunOptions& before, RunOptions now);

}  // namespace tocuda
