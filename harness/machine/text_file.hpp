// tocuda, Apache-2.0.
// Small text files, whole: those of /proc have no size, and a missing one is an ordinary answer.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tocuda {

// None where it cannot be read, or is longer than 16 MiB.
std::optional<std::string> read_text(const std::filesystem::path& file);

// Without their newlines; what follows the last newline is a line only if it is not empty.
std::vector<std::string> lines_of(std::string_view text);

// Written beside it and moved over it, so that a reader sees the old or the new one. False where that failed.
bool replace_text(const std::filesystem::path& file, std::string_view text);

}  // namespace tocuda
