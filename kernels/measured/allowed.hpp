// tocuda, Apache-2.0.
// Values of parameters for which there is no kernel: said, not tried.
#pragma once

#include <algorithm>
#include <array>
#include <string>

#include "measurement/parameter.hpp"

namespace tocuda {

inline std::string in_words(const Value& value) {
    const auto* words = std::get_if<std::string>(&value.held);
    return words != nullptr ? *words : std::to_string(std::get<std::int64_t>(value.held));
}

// What is needed and what was found; empty where the value is one of these.
inline std::string why_not_among(const Parameters& set, const std::string& name, const Values& allowed) {
    const auto& value = set.at(name);
    if (std::find(allowed.begin(), allowed.end(), value) != allowed.end()) return "";
    std::string list;
    for (const auto& each : allowed) list += (list.empty() ? "" : ", ") + in_words(each);
    return name + " is one of " + list + "; it is " + in_words(value);
}

// So many blocks on each multiprocessor, tiles in flight and the like: from one up to so many.
inline std::string why_not_between(const Parameters& set, const std::string& name, std::int64_t least,
                                   std::int64_t most) {
    const auto value = whole(set, name);
    if (value >= least && value <= most) return "";
    return name + " is from " + std::to_string(least) + " to " + std::to_string(most) + "; it is " +
           std::to_string(value);
}

// Empty where that many blocks run at once on each multiprocessor: with fewer, another row would be measured than the
// one that is named.
inline std::string why_not_at_once(const Parameters& set, unsigned most) {
    const auto asked = whole(set, "blocks_each");
    if (asked <= most) return "";
    return "blocks_each is " + std::to_string(asked) + "; a multiprocessor of this GPU runs " + std::to_string(most) +
           " of these at once";
}

template <class Number, std::size_t count>
Values values_of(const std::array<Number, count>& each) {
    return Values(each.begin(), each.end());
}

}  // namespace tocuda
