// tocuda, Apache-2.0.
// A result file as something to quote from: what it holds, and what stands against each of its rows. Pure.
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

// Every reason why a row of the file is not to be quoted, of each section that it stands in.
std::vector<std::string> reasons_against(const FileRow& row, const CitedFile& file);

}  // namespace tocuda
