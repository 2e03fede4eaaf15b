// tocuda, Apache-2.0.
// `tocuda merge FILE... -o FILE`: merges the result files of a fleet into one.
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <thread>

#include "json_lines/documents.hpp"
#include "record/merging.hpp"
#include "terminal/arguments.hpp"
#include "terminal/complaint.hpp"
#include "terminal/paper.hpp"
#include "terminal/quantities.hpp"

namespace tocuda {
namespace {

constexpr unsigned most_threads = 8;  // more would only wait for the disk

// A wrong folder is a usage error, not a disk failure, and is reported before anything is read.
std::string why_no_place(const std::filesystem::path& output) {
    const auto folder = output.has_parent_path() ? output.parent_path() : std::filesystem::path(".");
    std::error_code ignored;
    return std::filesystem::is_directory(folder, ignored) ? ""
                                                          : output.string() + ": no such folder: " + folder.string();
}

}  // namespace

int merge_verb(const Words& words) {
    Arguments arguments("merge", "Merge result files into one; their order does not matter.",
                        {"rank-*.jsonl -o fleet.jsonl", "a.jsonl b.jsonl -o both.jsonl --json"});
    std::vector<std::string> names;
    std::string output;
    bool as_json = false;
    arguments.option("FILE", names, "result files", Arguments::Presence::required);
    arguments.option("-o,--output", output, "the file to write; replaces a result file", "FILE",
                     Arguments::Presence::required);
    arguments.flag("--json", as_json, "one document on stdout");
    if (const auto code = arguments.parse(words)) return *code;

    const std::vector<std::filesystem::path> files(names.begin(), names.end());
    if (const auto why = why_no_place(output); !why.empty()) return complain(usage, "tocuda: " + why);
    if (const auto usable = check_result_output(output, files); !usable)
        return complain(usage, "tocuda: " + usable.error().what);
    auto planned = plan_merge(files, std::clamp(std::thread::hardware_concurrency(), 1U, most_threads));
    if (!planned) return complain(usage, "tocuda: " + planned.error().what);
    const auto& plan = *planned;
    for (const auto& warning : plan.warnings) complain("tocuda: " + warning);
    if (const auto written = write_merged(plan, files, output); !written)
        return complain(usage, "tocuda: " + written.error().what);
    const auto sections = static_cast<int>(plan.sections.size());
    if (as_json) print_document(merge_document({output, sections, plan.rows, plan.duplicates, plan.warnings}));
    else
        fmt::print("{}\n  {} with {}{}\n", output, counted(sections, "section"), counted(plan.rows, "row"),
                   plan.duplicates == 0
                       ? ""
                       : fmt::format("; {} found in more than one file", counted(plan.duplicates, "section")));
    return as_expected;
}

}  // namespace tocuda
