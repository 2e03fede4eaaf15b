// tocuda, Apache-2.0.
#include "machine/text_file.hpp"

#include <unistd.h>

#include <array>
#include <fstream>

namespace tocuda {

std::optional<std::string> read_text(const std::filesystem::path& file) {
    constexpr std::size_t too_much = std::size_t{16} << 20;
    std::ifstream stream(file, std::ios::binary);
    if (!stream) return std::nullopt;
    std::string text;
    std::array<char, 4096> piece;
    while (stream.read(piece.data(), piece.size()), stream.gcount() > 0) {
        text.append(piece.data(), static_cast<std::size_t>(stream.gcount()));
        if (text.size() > too_much) return std::nullopt;
    }
    if (stream.bad() || !stream.eof()) return std::nullopt;
    return text;
}

std::vector<std::string> lines_of(std::string_view text) {
    std::vector<std::string> lines;
    while (!text.empty()) {
        const auto end = text.find('\n');
        lines.emplace_back(text.substr(0, end));
        if (end == std::string_view::npos) break;
        text.remove_prefix(end + 1);
    }
    return lines;
}

bool replace_text(const std::filesystem::path& file, std::string_view text) {
    auto beside = file;
    beside += "." + std::to_string(getpid());
    std::error_code failed;
    {
        std::ofstream stream(beside, std::ios::binary | std::ios::trunc);
        stream << text << std::flush;
        if (!stream) {
            std::filesystem::remove(beside, failed);
            return false;
        }
    }
    std::filesystem::rename(beside, file, failed);
    if (!failed) return true;
    std::error_code ignored;
    std::filesystem::remove(beside, ignored);
    return false;
}

}  // namespace tocuda
