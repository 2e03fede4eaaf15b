// tocuda, Apache-2.0.
// Reads and replaces small text files. Files in /proc report no size, and a missing file is not an error.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tocuda {

// nullopt if the file cannot be read or is longer than 16 MiB.
std::optional<std::string> read_text(const std::filesystem::path& file);

// Lines without newlines; text after the last newline is a line only if it is not empty.
std::vector<std::string> lines_of(std::string_view text);

// Writes a new file and renames it, so that readers see either the old or the new content. False on failure.
bool replace_text(const std::filesystem::path& file, std::string_view text);

}  // namespace tocuda
