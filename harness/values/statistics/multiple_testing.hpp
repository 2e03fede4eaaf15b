// tocuda, Apache-2.0.
// Multiple testing: which of many hypotheses are rejected, and at which level. Independent of the order of the
// hypotheses.
#pragma once

#include <span>
#include <vector>

namespace tocuda {

// Holm: returns for each probability (of seeing as much by chance) its level; the hypothesis is rejected if the
// probability is not above it. The chance of any wrong rejection is at most `level`, however the hypotheses depend on
// each other. Equal probabilities share the strictest of their levels; those after the first not rejected share its
// level.
std::vector<double> holm_levels(std::span<const double> probabilities, double level);

// Benjamini and Hochberg: of the chosen ones, at most this part is expected to be chosen wrongly.
std::vector<bool> benjamini_hochberg(std::span<const double> probabilities, double level);

}  // namespace tocuda
