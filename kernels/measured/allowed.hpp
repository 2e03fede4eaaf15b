// tocuda, Apache-2.0.
// Checks of parameter values. Each returns why a set is skipped, or "".
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

// The value must be one of these.
inline std::string why_not_among(const Parameters& set, const std::string& name, const Values& allowed) {
    const auto& value = set.at(name);
    if (std::find(allowed.begin(), allowed.end(), value) != allowed.end()) return "";
    std::string list;
    for (const auto& each : allowed) list += (list.empty() ? "" : ", ") + in_words(each);
    return name + " must be one of " + list + ", not " + in_words(value);
}

// The value must be in this range.
inline std::string why_not_between(const Parameters& set, const std::string& name, std::int64_t least,
                                   std::int64_t most) {
    const auto value = whole(set, name);
    if (value >= least && value <= most) return "";
    return name + " must be between " + std::to_string(least) + " and " + std::to_string(most) + ", not " +
           std::to_string(value);
}

// `blocks_each` blocks must run at once on each multiprocessor: with fewer, the row's name would be wrong.
inline std::string why_not_at_once(const Parameters& set, unsigned most) {
    const auto asked = whole(set, "blocks_each");
    if (asked <= most) return "";
    return "blocks_each is " + std::to_string(asked) + " but a multiprocessor of this GPU runs at most " +
           std::to_string(most) + " of these blocks at once";
}

template <class Number, std::size_t count>
Values values_of(const std::array<Number, count>& each) {
    return Values(each.begin(), each.end());
}

}  // namespace tocuda
