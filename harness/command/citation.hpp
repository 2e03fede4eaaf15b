// tocuda, Apache-2.0.
// A measured number as a line to quote: the value with its convention and interval, and everything by which it can be found and measured again. Pure.
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

// `digests`: the sha256 of each section of the file.
Citation cite(const FileRow& row, const std::vector<SectionRows>& sections, const std::vector<std::string>& digests);

}  // namespace tocuda
