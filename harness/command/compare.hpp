// tocuda, Apache-2.0.
// What `tocuda compare` was asked for, the files it reads, and what it does where it is not given two sides.
#pragma once

#include <string>
#include <vector>

#include "gathering/gathering.hpp"
#include "model/comparison.hpp"

namespace tocuda {

struct CompareOptions {
    std::string before{};  // files or folders
    std::string after{};
    std::vector<std::string> fleet{};  // whose GPUs are judged against one another; then there is nothing else
    std::string history{};
    double margin_percent = 0;  // 0: the usual one
    bool strict = false;
    bool json = false;
    bool quiet = false;
    bool all = false;  // list every row
};

// Each returns the exit code.
int compare_fleet(const CompareOptions& options);
int compare_history(const CompareOptions& options);

struct ReadFiles {
    std::vector<GatheredSection> sections{};
    int files = 0;
    std::vector<std::string> warnings{};
    std::string wrong{};  // why nothing is compared: "FILE:LINE: what is wrong"
};

// A folder stands for all *.jsonl below it.
ReadFiles read_files(const std::vector<std::string>& places, RowNames& names);

// The warnings of what was read, each once; said on standard error unless nobody wants them.
std::vector<std::string> warnings_of(const std::vector<const ReadFiles*>& read, const CompareOptions& options);
// Says what is wrong with a file that could not be read; whether there is one.
bool is_unreadable(const ReadFiles& read);
ComparisonRules rules_of(const CompareOptions& options);

}  // namespace tocuda
