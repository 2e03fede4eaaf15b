// tocuda, Apache-2.0.
// Parsing the words of `compare`.
#include "command/compare_options.hpp"

#include "command/arguments.hpp"

namespace tocuda {
namespace {

// What is wrong with them, or nothing.
std::string why_not(const CompareOptions& options) {
    constexpr double most_percent = 50;
    if (options.margin_percent > most_percent) return "--margin is in percent, and at most 50";
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
    arguments.option("OLD", options.before, "a file, or a folder of files", "");
    arguments.option("NEW", options.after, "a file, or a folder of files", "");
    arguments.option("--history", options.history, "how much starts vary; alone: driver by driver", "FOLDER");
    arguments.option("--fleet", options.fleet, "files and folders: each GPU against its like");
    arguments.option("--margin", options.margin_percent, "what is smaller is no change (0.5)", "PERCENT");
    arguments.flag("--calibrate", options.calibrate, "count false alarms on made-up noise, and on --history");
    arguments.flag("--all", options.all, "list every row");
    arguments.flag("--strict", options.strict, "exit 3 where rows are undecided");
    arguments.flag("--json", options.json, "one document on stdout");
    arguments.flag("--quiet", options.quiet, "no warnings on stderr");
    if (const auto code = arguments.parse(words)) return *code;
    if (const auto wrong = why_not(options); !wrong.empty()) return arguments.refuse(wrong);
    return options;
}

}  // namespace tocuda
