// tocuda, Apache-2.0.
// Formats a recorded claim or measurement as a paragraph of Markdown to paste into a ticket: what was seen, in numbers,
// where, and how to find and repeat it. Pure.
#pragma once

#include <string>

#include "tables/cited_file.hpp"

namespace tocuda {

std::string ticket_of(const CitedClaim& claim, const CitedFile& file);
std::string ticket_of(const FileRow& row, const CitedFile& file);

}  // namespace tocuda
