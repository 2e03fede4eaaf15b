// tocuda, Apache-2.0.
// The JSON documents of verify and merge.
#pragma once

#include <string>
#include <vector>

#include "model/problem.hpp"

namespace tocuda {

struct VerifyReport {
    std::string file{};
    bool whole = false;
    bool unaltered = false;
    std::vector<Problem> problems{};
    std::vector<std::string> notes{};
    std::vector<std::string> sha256{};  // of each section, without its end line
    std::string why_not_citable{};      // empty if the file has a row that may be cited
};

struct MergeReport {
    std::string file{};
    int sections = 0;
    long rows = 0;
    int duplicates = 0;
    std::vector<std::string> warnings{};
};

std::string verify_document(const VerifyReport& report);
std::string merge_document(const MergeReport& report);

}  // namespace tocuda
