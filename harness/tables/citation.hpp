// tocuda, Apache-2.0.
// Formats a measured number or a verdict as a line to quote: the value with its byte convention and interval, or what
// was seen, and everything needed to find and repeat it. Pure.
#pragma once

#include <string>
#include <vector>

#include "model/tally.hpp"
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
};

std::string variants_of(const std::vector<Row>& rows);  // "dtype/double_move (default, older_gpu)"

// `digests` holds the sha256 of each section of the file.
Citation cite(const FileRow& row, const std::vector<SectionRows>& sections, const std::vector<std::string>& digests);
Citation cite(const CitedClaim& claim, const std::vector<SectionRows>& sections,
              const std::vector<std::string>& digests);

}  // namespace tocuda
