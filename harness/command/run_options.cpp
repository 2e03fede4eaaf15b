// tocuda, Apache-2.0.
#include "command/run_options.hpp"

#include <algorithm>
#include <thread>

#include "command/arguments.hpp"

namespace tocuda {

std::variant<RunOptions, int> parse_run_options(const Words& words) {
    Arguments arguments("run", "Run scenarios, judge their claims and record both.",
                        {"", "environment/ 001-04 --json"});
    RunOptions options;
    arguments.option("PATTERN", options.patterns, "a name, a folder, a glob or a claim id");
    arguments.option("--output", options.output, "the folder for the result file", "DIR");
    arguments.option("--resume", options.resume, "run what is missing from FILE", "FILE");
    arguments.option("--jobs", options.jobs, 1, 1024, "children in parallel (default: one per core)", "N");
    arguments.option("--timeout", options.seconds, "deadline of each child, in seconds", "S");
    arguments.option("--simulate", options.simulate, "run on simulated GPUs: 4x1GiB, 2xH200", "SPEC");
    arguments.flag("--real", options.real, "never simulate a GPU");
    arguments.option("--gpus", options.gpus, "GPUs to use: 0,3, a UUID or all", "LIST");
    arguments.flag("--strict", options.strict, "exit 3 if a claim is inconclusive");
    arguments.flag("--json", options.json, "one document on stdout");
    arguments.flag("--quiet", options.quiet, "no progress on stderr");
    if (const auto code = arguments.parse(words)) return *code;
    if (options.real && !options.simulate.empty()) return arguments.refuse("--real cannot be combined with --simulate");
    if (!options.resume.empty() && !options.patterns.empty())
        return arguments.refuse("--resume cannot be combined with PATTERN: it runs what is missing from FILE");
    if (options.jobs == 0) options.jobs = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
    return options;
}

std::optional<RunOptions> recorded_run_options(const RunLine& run) {
    const Words words(run.command.begin() + std::min<std::ptrdiff_t>(2, std::ssize(run.command)), run.command.end());
    const auto parsed = parse_run_options(words);
    const auto* options = std::get_if<RunOptions>(&parsed);
    return options ? std::optional(*options) : std::nullopt;
}

RunOptions resumed(const RunOptions& before, RunOptions now) {
    now.patterns = before.patterns;
    const bool says_where = now.real || !now.simulate.empty();
    if (!says_where) now.simulate = before.simulate;
    if (!says_where) now.real = before.real;
    if (now.gpus.empty()) now.gpus = before.gpus;
    return now;
}

}  // namespace tocuda
