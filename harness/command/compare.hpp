// tocuda, Apache-2.0.
// The options of `tocuda compare`, the files it reads, and its forms with a single side.
#pragma once

#include <string>
#include <vector>

#include "gathering/gathering.hpp"
#include "model/comparison.hpp"

namespace tocuda {

struct CompareOptions {
    std::string before{};  // files or folders
    std::string after{};
    std::vector<std::string> fleet{};  // whose GPUs are compared with each other; excludes the other inputs
    std::string history{};
    double margin_percent = 0;  // 0: the default
    bool strict = false;
    bool json = false;
    bool quiet = false;
    bool all = false;     // list every row
    bool ticket = false;  // one paragraph of Markdown
};

// Each returns the exit code.
int compare_fleet(const CompareOptions& options);
int compare_history(const CompareOptions& options);

struct ReadFiles {
    std::vector<GatheredSection> sections{};
    std::vector<std::string> files{};  // canonical paths, without those that are no result files
    std::vector<std::string> warnings{};
    std::string wrong{};  // why nothing can be compared: "FILE:LINE: problem"
};

// Reads files and, for a folder, all result files (*.jsonl) below it.
ReadFiles read_files(const std::vector<std::string>& places, RowNames& names);

// Returns each warning of what was read once, and prints them to stderr unless --quiet or --json.
std::vector<std::string> warnings_of(const std::vector<const ReadFiles*>& read, const CompareOptions& options);
// Prints why a file could not be read. Returns whether one could not.
bool is_unreadable(const ReadFiles& read);
ComparisonRules rules_of(const CompareOptions& options);

}  // namespace tocuda
