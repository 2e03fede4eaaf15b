// tocuda, Apache-2.0.
// What `tocuda run` was asked for.
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
    int jobs = 0;        // 0: one for each core
    double seconds = 0;  // 0: each variant's own
    bool json = false;
    bool quiet = false;
    bool strict = false;
    bool real = false;       // never simulate
    std::string simulate{};  // a SPEC; empty: only where there is no GPU
    std::string gpus{};      // which of them: "0,3", a UUID; empty: all, or a rank's own
};

// The options, or the exit code where there is nothing to run.
std::variant<RunOptions, int> parse_run_options(const Words& words);

// What a recorded section was asked for, or nothing where its command line is not understood.
std::optional<RunOptions> recorded_run_options(const RunLine& run);

// What a command line asked to be run, and where unless `now` says where; all else as `now` says.
RunOptions resumed(const RunOptions& before, RunOptions now);

}  // namespace tocuda
