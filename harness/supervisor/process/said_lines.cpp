// tocuda, Apache-2.0.
#include "process/said_lines.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

namespace tocuda {

void SaidLines::hear(std::string_view piece, const std::function<void(std::string_view line)>& on_line) {
    if (!wrong.empty()) return;
    const auto room = static_cast<std::size_t>(std::max<std::int64_t>(limit_bytes - heard_bytes, 0));
    const bool flood = piece.size() > room;
    piece = piece.substr(0, room);
    heard_bytes += static_cast<std::int64_t>(piece.size());
    for (auto end = piece.find('\n'); end != std::string_view::npos; end = piece.find('\n')) {
        std::string whole;
        std::string_view line = piece.substr(0, end);
        if (!pending.empty()) {
            whole = std::move(pending);
            pending.clear();
            line = whole += line;
        }
        piece.remove_prefix(end + 1);
        if (on_line) on_line(line);
    }
    pending += piece;
    if (flood) wrong = "wrote more than " + amount_of_bytes(limit_bytes) + " to descriptor 3";
    else if (pending.size() > longest_line)
        wrong = "wrote a line of more than " + amount_of_bytes(longest_line) + " to descriptor 3";
    if (!wrong.empty()) pending.resize(std::min(pending.size(), longest_torn));
}

void Tail::hear(std::string_view piece) {
    if (piece.size() > kept) {
        cut = true;
        end = piece.substr(piece.size() - kept);
        return;
    }
    end += piece;
    if (end.size() <= 2 * kept) return;
    cut = true;
    end.erase(0, end.size() - kept);
}

std::string Tail::text() const {
    if (!cut && end.size() <= kept) return end;
    std::string last = end.substr(end.size() - std::min(end.size(), kept));
    const auto inside_a_character = [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; };
    for (int most = 3; most > 0 && !last.empty() && inside_a_character(last.front()); --most) last.erase(0, 1);
    return last;
}

std::string amount_of_bytes(std::int64_t bytes) {
    constexpr std::array<const char*, 5> units{"bytes", "KiB", "MiB", "GiB", "TiB"};
    auto amount = static_cast<double>(bytes);
    std::size_t unit = 0;
    for (; amount >= 1024 && unit + 1 < units.size(); ++unit) amount /= 1024;
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.4g %s", amount, units[unit]);
    return text.data();
}

}  // namespace tocuda
