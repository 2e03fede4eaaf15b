// tocuda, Apache-2.0.
// The first line of what an error says, and of a file.
#pragma once

#include <exception>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

namespace tocuda {

inline std::string first_line(const std::exception& error) {
    const std::string text = error.what();
    return text.substr(0, text.find('\n'));
}

inline std::optional<std::string> first_line(const std::filesystem::path& file) {
    std::ifstream stream(file);
    std::string line;
    return std::getline(stream, line) ? std::optional(line) : std::nullopt;
}

}  // namespace tocuda
