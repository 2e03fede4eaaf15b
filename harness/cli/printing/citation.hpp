// tocuda, Apache-2.0.
// Formats a measured number or a verdict as a line to quote: the value with its byte convention and interval, or what
// was seen, and everything needed to find and repeat it. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/tally.hpp"
#include "record/sections.hpp"
#include "record/verification.hpp"
#include "summary/file_rows.hpp"

namespace tocuda {

inline constexpr std::size_t cited_digits = 12;  // of a section's sha256

struct Citation {
    std::string text{};  // one line
    std::string bibtex{};
};

// A claim as a file records it.
struct CitedClaim {
    ClaimSummary summary{};
    std::string statement{};
    std::vector<Row> rows{};              // that carry it, without their other claims
    std::vector<std::size_t> sections{};  // that hold these rows
    std::string judged_again{};           // by whom, and what had been recorded; empty: the recorded verdict stands
};

// The lowest and the highest median of rows of one parameter set: "4123.4 to 4225.8 GB/s"
std::string range_of_medians(const std::vector<RowSummary>& rows);
// The first digits of a UUID: "GPU-1a2b3c4d"
std::string short_uuid(const std::string& uuid);

std::string variants_of(const std::vector<Row>& rows);  // "dtype/double_move (default, older_gpu)"

// `digests` holds the sha256 of each section of the file.
Citation cite(const FileRow& row, const std::vector<SectionRows>& sections, const std::vector<std::string>& digests);
Citation cite(const CitedClaim& claim, const std::vector<SectionRows>& sections,
              const std::vector<std::string>& digests);

// A result file as a source of citations: its rows and claims, and what makes each of them not citable.
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
