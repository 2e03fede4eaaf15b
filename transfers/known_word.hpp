// tocuda, Apache-2.0.
// A parameter whose value is one of a few words.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>

#include "measurement/parameter.hpp"

namespace tocuda {

// What is needed and what was found; empty where the word is known.
inline std::string why_unknown_word(const Parameters& set, const std::string& name,
                                    std::initializer_list<std::string_view> known) {
    const auto& word = text(set, name);
    if (std::find(known.begin(), known.end(), word) != known.end()) return "";
    std::string choice;
    for (const auto each : known) choice += (choice.empty() ? "" : " or ") + std::string(each);
    return "for " + name + ", " + choice + " is needed; it is '" + word + "'";
}

}  // namespace tocuda
