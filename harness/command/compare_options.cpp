// tocuda, Apache-2.0.
// Parsing the words of `compare`.
#include "command/compare_options.hpp"

#include <limits>

#include "command/arguments.hpp"

namespace tocuda {
namespace {

// What is wrong with them, or nothing.
std::string why_not(const CompareOptions& options) {
    constexpr double most_percent = 50;
    if (options.margin_percent > most_percent) return "--margin is in percent, and at most 50";
    if (!options.calibrate && options.calibration != CalibrateOptions{}) return "--comparisons, --rows, --seed and --jobs belong to --calibrate";
    if (options.calibrate) return options.before.empty() && options.fleet.empty() ? "" : "--calibrate stands alone, or with --history";
    if (!options.fleet.empty()) return options.before.empty() && options.history.empty() ? "" : "--fleet stands alone: it is compared with nothing else";
    if (!options.before.empty() && options.after.empty()) return "NEW is missing: two files or folders are compared";
    if (options.before.empty() && options.history.empty()) return "say what is compared: OLD NEW, or --history FOLDER, or --fleet FILE...";
    return "";
}

}  // namespace

std::variant<CompareOptions, int> parse_compare_options(const Words& words) {
    Arguments arguments("compare", "What changed between two sets of results, how surely, and through what.",
                        {"results/h200/570.86 results/h200/580.95 --history results/h200", "--fleet results/fleet/"});
    CompareOptions options;
    auto& calibration = options.calibration;
    int seed = 1;
    arguments.option("OLD", options.before, "a file, or a folder of files", "");
    arguments.option("NEW", options.after, "a file, or a folder of files", "");
    arguments.option("--history", options.history, "how much starts vary; alone: driver by driver", "FOLDER");
    arguments.option("--fleet", options.fleet, "files and folders: each GPU against its like");
    arguments.option("--margin", options.margin_percent, "what is smaller is no change (0.5)", "PERCENT");
    arguments.flag("--calibrate", options.calibrate, "count false alarms on made-up noise, and on --history");
    arguments.option("--comparisons", calibration.comparisons, 1, 1000000, "of each kind of noise (4000)", "N");
    arguments.option("--rows", calibration.rows, 1, 100000, "of each comparison (50)", "N");
    arguments.option("--seed", seed, 0, std::numeric_limits<int>::max(), "of the made-up noise (1)", "N");
    arguments.option("--jobs", calibration.jobs, 1, 1024, "threads; the counts are the same (all cores)", "N");
    arguments.flag("--all", options.all, "list every row");
    arguments.flag("--strict", options.strict, "exit 3 where rows are undecided");
    arguments.flag("--json", options.json, "one document on stdout");
    arguments.flag("--quiet", options.quiet, "no warnings on stderr");
    if (const auto code = arguments.parse(words)) return *code;
    calibration.seed = static_cast<std::uint64_t>(seed);
    if (const auto wrong = why_not(options); !wrong.empty()) return arguments.refuse(wrong);
    calibration.json = options.json;
    calibration.strict = options.strict;
    return options;
}

}  // namespace tocuda
