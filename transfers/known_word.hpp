// tocuda, Apache-2.0.
// Checks a parameter whose value must be one of a few words.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>

#include "measurement/parameter.hpp"

namespace tocuda {

// Returns the allowed words and the one given. Empty if the word is known.
inline std::string why_unknown_word(const Parameters& set, const std::string& name,
                                    std::initializer_list<std::string_view> known) {
    const auto& word = text(set, name);
    if (std::find(known.begin(), known.end(), word) != known.end()) return "";
    std::string choice;
    for (const auto each : known) choice += (choice.empty() ? "" : " or ") + std::string(each);
    return name + " must be " + choice + "; it is '" + word + "'";
}

}  // namespace tocuda
