// tocuda, Apache-2.0.
// Looks for words in an explanation, for tests.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "model/explanation.hpp"

namespace tocuda::doctor {

inline bool mentions(const Explanation& told, std::string_view words) {
    const auto has = [&](const std::string& each) { return each.find(words) != std::string::npos; };
    return has(told.meaning) || std::ranges::any_of(told.arithmetic, has) ||
           std::ranges::any_of(told.remedies, has, &Remedy::what);
}

}  // namespace tocuda::doctor
