// tocuda, Apache-2.0.
// Result files as a comparison reads them: files, and folders with whatever is below them.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "gathering/gathering.hpp"

namespace tocuda {

struct ReadFiles {
    std::vector<GatheredSection> sections{};
    int files = 0;
    std::vector<std::string> warnings{};
    std::string wrong{};  // why nothing is compared: "FILE:LINE: what is wrong"
};

// A folder stands for all *.jsonl below it.
ReadFiles read_files(const std::vector<std::string>& places, RowNames& names);

}  // namespace tocuda
