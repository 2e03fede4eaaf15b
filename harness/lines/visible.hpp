// tocuda, Apache-2.0.
// Texts of others go to a terminal as they stand: what would move its cursor or dye them is no part of any.
#pragma once

#include <string>
#include <string_view>

namespace tocuda {

// Also those from U+0080 on, which some terminals obey.
bool has_control_characters(std::string_view text);

// One line: each control character is a replacement character, a line break or tab a space.
std::string visible(std::string_view text);

// The same, but line breaks and tabs stay: what was seen may be of several lines.
std::string visible_lines(std::string_view text);

}  // namespace tocuda
