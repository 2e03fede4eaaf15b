// tocuda, Apache-2.0.
// Both procedures go through the probabilities in ascending order.
#include "statistics/multiple_testing.hpp"

#include <algorithm>
#include <cstddef>

namespace tocuda {
namespace {

std::vector<double> ascending(std::span<const double> values) {
    std::vector<double> sorted(values.begin(), values.end());
    std::sort(sorted.begin(), sorted.end());
    return sorted;
}

}  // namespace

std::vector<double> holm_levels(std::span<const double> probabilities, double level) {
    const auto sorted = ascending(probabilities);
    const auto step = [&](std::size_t place) { return level / static_cast<double>(sorted.size() - place); };
    std::size_t answered = 0;
    while (answered < sorted.size() && sorted[answered] <= step(answered)) ++answered;
    std::vector<double> levels;
    levels.reserve(sorted.size());
    for (const double probability : probabilities) {
        const auto first_equal =
            static_cast<std::size_t>(std::lower_bound(sorted.begin(), sorted.end(), probability) - sorted.begin());
        levels.push_back(step(std::min(first_equal, answered)));
    }
    return levels;
}

std::vector<bool> benjamini_hochberg(std::span<const double> probabilities, double level) {
    const auto sorted = ascending(probabilities);
    double limit = -1;
    for (std::size_t place = 0; place < sorted.size(); ++place)
        if (sorted[place] <= level * static_cast<double>(place + 1) / static_cast<double>(sorted.size()))
            limit = sorted[place];
    std::vector<bool> chosen;
    chosen.reserve(sorted.size());
    for (const double probability : probabilities) chosen.push_back(probability <= limit);
    return chosen;
}

}  // namespace tocuda
