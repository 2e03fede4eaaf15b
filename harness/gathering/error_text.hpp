// tocuda, Apache-2.0.
// Which evidence holds the words of errors, and those words without what differs from start to start.
#pragma once

#include <string>
#include <string_view>

namespace tocuda {

// "move.message", "is_available.warning": by the last part of its key.
bool holds_error_text(std::string_view key);

// Numbers (with their unit of memory), addresses, UUIDs and the folders of files become '#': "Tried to allocate 1.95 GiB" is as good as any other.
std::string without_particulars(std::string_view text);

}  // namespace tocuda
