// tocuda, Apache-2.0.
#include "report/html.hpp"

#include "json_lines/visible.hpp"

namespace tocuda::page {
namespace {

constexpr std::size_t longest = 1000;

// Returns where to cut so that no character is split.
std::size_t cut_at(std::string_view text) {
    auto end = longest;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U) --end;
    return end;
}

}  // namespace

std::string escaped(std::string_view text) {
    const bool cut = text.size() > longest;
    const auto end = cut ? cut_at(text) : text.size();
    const auto result = escape(text.substr(0, end));
    return cut ? result + fmt::format("... ({} more bytes)", text.size() - end) : result;
}

std::string escape(std::string_view text) {
    std::string result;
    for (const char letter : visible_lines(text)) {
        if (letter == '&') result += "&amp;";
        else if (letter == '<') result += "&lt;";
        else if (letter == '>') result += "&gt;";
        else if (letter == '"') result += "&quot;";
        else if (letter == '\'') result += "&#39;";
        else result += letter;
    }
    return result;
}

}  // namespace tocuda::page
