// tocuda, Apache-2.0.
// Many questions asked at once: which of them may be answered, and at which level each was asked. None depends on the order of the questions.
#pragma once

#include <span>
#include <vector>

namespace tocuda {

// Holm: for each probability (of seeing as much where nothing is) the level it stands against: it is answered where it is not above that. The
// chance of one wrong answer or more is at most `level`, however the questions hang together. Equal ones share the strictest of their levels;
// those that come after the first one not answered share its level.
std::vector<double> holm_levels(std::span<const double> probabilities, double level);

// Benjamini and Hochberg: of those that are chosen, at most this part is expected to be chosen wrongly.
std::vector<bool> benjamini_hochberg(std::span<const double> probabilities, double level);

}  // namespace tocuda
