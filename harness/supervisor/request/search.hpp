// tocuda, Apache-2.0.
// Finds claims, scenarios and benchmarks by words that people use: in names, claims and sentences, with synonyms.
#pragma once

#include <string>
#include <vector>

#include "request/selection.hpp"

namespace tocuda {

// Returns what speaks of all the words, best first. If nothing does, returns the five that come nearest.
Found search(const Catalogue& catalogue, const std::vector<std::string>& typed);

// Returns the words that names, claims and sentences use, without those too short to be mistyped alone.
std::vector<std::string> words_of_all_sentences(const Catalogue& catalogue);

}  // namespace tocuda
