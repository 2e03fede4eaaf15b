// tocuda, Apache-2.0.
// A recorded claim or measurement as a paragraph of Markdown to paste into a ticket: what was seen, in numbers, where,
// and how to find and repeat it. Pure.
#pragma once

#include <string>

#include "printing/citation.hpp"

namespace tocuda {

std::string ticket_of(const CitedClaim& claim, const CitedFile& file);
std::string ticket_of(const FileRow& row, const CitedFile& file);

}  // namespace tocuda
