// tocuda, Apache-2.0.
// Selects the evidence that holds error texts, and removes from these what differs between starts.
#pragma once

#include <string>
#include <string_view>

namespace tocuda {

// Decides by the last part of the key: "move.message", "is_available.warning".
bool holds_error_text(std::string_view key);

// Replaces numbers (with their unit of memory), addresses, UUIDs and the folders of files by '#', so that "Tried to
// allocate 1.95 GiB" equals the same error with any other amount.
std::string without_particulars(std::string_view text);

}  // namespace tocuda
