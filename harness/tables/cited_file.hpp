// tocuda, Apache-2.0.
// A result file as a source of citations: its rows and claims, and what makes each of them not citable.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "record/sections.hpp"
#include "record/verification.hpp"
#include "summary/file_rows.hpp"
#include "tables/citation.hpp"

namespace tocuda {

struct CitedFile {
    std::vector<SectionRows> sections{};
    std::vector<std::vector<std::string>> problems{};  // of each section
    std::vector<std::string> digests{};                // the sha256 of each section
};

CitedFile cited_file(const Recording& recording, const Verification& verification);

// A claim with all of its rows; nullopt if the file has none.
std::optional<CitedClaim> claim_in(const Recording& recording, const std::string& id, const std::string& statement);
// Keeps the rows that no simulator and no fake driver took part in, if any of them decides; otherwise the rows in which
// only the driver is fake, if any of them does.
CitedClaim least_simulated(const CitedClaim& claim);
std::vector<std::string> reasons_against(const CitedClaim& claim, const CitedFile& file);

// Returns every reason against citing a row, from each section that it is in.
std::vector<std::string> reasons_against(const FileRow& row, const CitedFile& file);

}  // namespace tocuda
