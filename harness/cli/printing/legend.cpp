// tocuda, Apache-2.0.
#include "printing/legend.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace tocuda {

char Legend::letter(std::size_t number) const {
    return number < 26 ? static_cast<char>(first_letter + static_cast<char>(number)) : '*';
}

char Legend::mark_for(const std::string& words) {
    const auto found = std::find(notes.begin(), notes.end(), words);
    const auto number = static_cast<std::size_t>(found - notes.begin());
    if (found == notes.end()) notes.push_back(words);
    return letter(number);
}

std::string Legend::text(const Paper& paper) const {
    std::string text;
    for (std::size_t i = 0; i < notes.size(); ++i)
        text += fmt::format("  {}  {}\n", letter(i), wrap(notes[i], 5, 5, paper.columns()));
    return text;
}

}  // namespace tocuda
