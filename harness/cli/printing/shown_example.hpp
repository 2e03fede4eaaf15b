// tocuda, Apache-2.0.
// Formats a document's code example, line by line, with what each line did in all surroundings in which it was run.
#pragma once

#include <string>
#include <vector>

#include "json_lines/documents.hpp"
#include "printing/last_seen.hpp"
#include "terminal/paper.hpp"

namespace tocuda {

// `seen`: the newest result on this machine, and recorded ones.
std::string example_text(const Listed& listed, const std::vector<LastSeen>& seen, const std::vector<Claim>& illustrated,
                         const Paper& paper);

}  // namespace tocuda
