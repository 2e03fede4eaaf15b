// tocuda, Apache-2.0.
#include "model/nearest.hpp"

#include <algorithm>

#include "model/words.hpp"

namespace tocuda {
namespace {

// Half of the letters of a short name may be wrong, a third of a long one's.
std::size_t tolerance(std::size_t length) { return std::max(length / 3, std::min<std::size_t>(length / 2, 2)); }

}  // namespace

std::size_t edits_between(std::string_view left_name, std::string_view right_name) {
    const auto left = lower(left_name);
    const auto right = lower(right_name);
    std::vector<std::size_t> before_last(right.size() + 1), last(right.size() + 1), current(right.size() + 1);
    for (std::size_t j = 0; j <= right.size(); ++j) last[j] = j;
    for (std::size_t i = 1; i <= left.size(); ++i) {
        current[0] = i;
        for (std::size_t j = 1; j <= right.size(); ++j) {
            const std::size_t change = left[i - 1] == right[j - 1] ? 0 : 1;
            current[j] = std::min({last[j] + 1, current[j - 1] + 1, last[j - 1] + change});
            if (i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1])
                current[j] = std::min(current[j], before_last[j - 2] + 1);
        }
        before_last.swap(last);
        last.swap(current);
    }
    return last[right.size()];
}

std::optional<std::string> nearest(std::string_view name, const std::vector<std::string>& names) {
    std::optional<std::string> best;
    auto best_edits = tolerance(name.size()) + 1;
    for (const auto& candidate : names) {
        const bool begun = name.size() > 1 && lower(candidate).starts_with(lower(name));
        const auto edits = begun ? 0 : edits_between(name, candidate);
        if (edits >= best_edits) continue;
        best_edits = edits;
        best = candidate;
    }
    return best;
}

std::string suggestion(std::string_view name, const std::vector<std::string>& names) {
    const auto meant = nearest(name, names);
    return meant ? " (did you mean '" + *meant + "'?)" : "";
}

}  // namespace tocuda
