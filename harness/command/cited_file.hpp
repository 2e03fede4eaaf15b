// tocuda, Apache-2.0.
// A result file as a source of citations: its rows, and what makes each of them not citable. Pure.
#pragma once

#include <string>
#include <vector>

#include "record/sections.hpp"
#include "record/verification.hpp"
#include "summary/file_rows.hpp"

namespace tocuda {

struct CitedFile {
    std::vector<SectionRows> sections{};
    std::vector<std::vector<std::string>> problems{};  // of each section
    std::vector<std::string> digests{};                // the sha256 of each section
};

CitedFile cited_file(const Recording& recording, const Verification& verification);

// Returns every reason against citing a row, from each section that it is in.
std::vector<std::string> reasons_against(const FileRow& row, const CitedFile& file);

}  // namespace tocuda
