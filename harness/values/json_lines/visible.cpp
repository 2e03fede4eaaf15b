// tocuda, Apache-2.0.
#include "json_lines/visible.hpp"

#include <algorithm>

namespace tocuda {
namespace {

constexpr std::string_view replacement = "\xef\xbf\xbd";

// U+202A to U+202E and U+2066 to U+2069 change the direction in which the following text is shown.
bool is_turning(std::string_view letter) {
    if (letter.size() < 3) return false;
    const auto last = static_cast<unsigned char>(letter[2]);
    return (letter.starts_with("\xe2\x80") && last >= 0xaa && last <= 0xae) ||
           (letter.starts_with("\xe2\x81") && last >= 0xa6 && last <= 0xa9);
}

// Returns the size in bytes of the control character at the start of the text; 0 if there is none.
std::size_t control_size(std::string_view text) {
    const auto first = static_cast<unsigned char>(text.front());
    if (first < 0x20 || first == 0x7f) return 1;
    if (first == 0xc2 && text.size() >= 2) {
        const auto second = static_cast<unsigned char>(text[1]);
        return second >= 0x80 && second < 0xa0 ? 2 : 0;
    }
    return is_turning(text.substr(0, 3)) ? 3 : 0;
}

// Fast path: nearly all texts, some with millions of bytes, lack the first byte of any such character.
bool is_plain(std::string_view text) {
    return std::none_of(text.begin(), text.end(), [](char letter) {
        const auto byte = static_cast<unsigned char>(letter);
        return byte < 0x20 || byte == 0x7f || byte == 0xc2 || byte == 0xe2;
    });
}

template <class Written>
std::string replaced(std::string_view text, Written written) {
    if (is_plain(text)) return std::string(text);
    std::string result;
    result.reserve(text.size());
    while (!text.empty()) {
        const auto size = control_size(text);
        if (size == 0) result += text.front();
        else result += written(text.front());
        text.remove_prefix(size == 0 ? 1 : size);
    }
    return result;
}

constexpr bool is_space(char letter) { return letter == '\n' || letter == '\t'; }

}  // namespace

bool has_control_characters(std::string_view text) {
    if (is_plain(text)) return false;
    for (; !text.empty(); text.remove_prefix(1))
        if (control_size(text) > 0) return true;
    return false;
}

std::string visible(std::string_view text) {
    return replaced(text, [](char letter) { return is_space(letter) ? std::string_view(" ") : replacement; });
}

std::string visible_lines(std::string_view text) {
    return replaced(text, [](char letter) {
        return letter == '\n' ? std::string_view("\n") : letter == '\t' ? std::string_view("\t") : replacement;
    });
}

}  // namespace tocuda
