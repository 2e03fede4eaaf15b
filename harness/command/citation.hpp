// tocuda, Apache-2.0.
// Formats a measured number as a line to quote: the value with its byte convention and interval, and everything needed
// to find and repeat the measurement. Pure.
#pragma once

#include <string>
#include <vector>

#include "summary/file_rows.hpp"

namespace tocuda {

inline constexpr std::size_t cited_digits = 12;  // of a section's sha256

struct Citation {
    std::string text{};  // one line
    std::string bibtex{};
};

// `digests` holds the sha256 of each section of the file.
Citation cite(const FileRow& row, const std::vector<SectionRows>& sections, const std::vector<std::string>& digests);

}  // namespace tocuda
