// tocuda, Apache-2.0.
// The program that an error text is from, where its remedies are in words of its own.
#pragma once

#include <algorithm>
#include <string_view>

#include "doctor/message/excerpt.hpp"
#include "doctor/message/origin.hpp"

namespace tocuda::doctor {

// The first of them that the text has a sign of; null if there is none.
const Setting* setting_in(std::string_view text, const auto& all) {
    const auto is_there = [&](std::string_view sign) { return !sign.empty() && contains(text, sign); };
    const auto* const found =
        std::ranges::find_if(all, [&](const Setting& one) { return std::ranges::any_of(one.signs, is_there); });
    return found == all.end() ? nullptr : found;
}

// Null for a program in Python of one's own that stands on PyTorch, or does not show what it stands on.
const Setting* program_of(std::string_view text);

}  // namespace tocuda::doctor
