// tocuda, Apache-2.0.
// Removes control characters from foreign texts, which could move a terminal's cursor or change its colours.
#pragma once

#include <string>
#include <string_view>

namespace tocuda {

// Includes U+0080 to U+009F, which some terminals obey, and characters that change the text direction.
bool has_control_characters(std::string_view text);

// Makes one line: replaces line breaks and tabs by spaces, other control characters by U+FFFD.
std::string visible(std::string_view text);

// The same but keeps line breaks and tabs, because observations may have several lines.
std::string visible_lines(std::string_view text);

}  // namespace tocuda
