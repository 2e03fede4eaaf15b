// tocuda, Apache-2.0.
#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <string_view>
#include <utility>

#include "doctor/message/message.hpp"

namespace tocuda::doctor {
namespace {

void append_utf8(std::string& text, std::uint32_t letter) {
    const auto add = [&](std::uint32_t byte) { text += static_cast<char>(byte); };
    if (letter < 0x80) return add(letter);
    if (letter < 0x800) add(0xc0 | letter >> 6);
    else if (letter < 0x10000) add(0xe0 | letter >> 12);
    else add(0xf0 | letter >> 18);
    if (letter >= 0x10000) add(0x80 | (letter >> 12 & 0x3f));
    if (letter >= 0x800) add(0x80 | (letter >> 6 & 0x3f));
    add(0x80 | (letter & 0x3f));
}

std::string from_utf16(std::string_view bytes, bool high_byte_first) {
    const auto unit = [&](std::size_t at) {
        const auto one = static_cast<unsigned char>(bytes[at]), other = static_cast<unsigned char>(bytes[at + 1]);
        return static_cast<std::uint32_t>(high_byte_first ? one << 8 | other : other << 8 | one);
    };
    std::string text;
    for (std::size_t at = 0; at + 1 < bytes.size(); at += 2) {
        auto letter = unit(at);
        if (letter == 0xfeff) continue;
        if (letter >> 10 == 0x36 && at + 3 < bytes.size()) {  // the first of two units
            letter = 0x10000 + ((letter & 0x3ff) << 10) + (unit(at + 2) & 0x3ff);
            at += 2;
        }
        append_utf8(text, letter);
    }
    return text;
}

// Every other byte of European text in UTF-16 is zero.
bool is_utf16_without_mark(std::string_view text) {
    const auto begin = text.substr(0, 256);
    std::size_t zeros = 0;
    for (std::size_t at = 1; at < begin.size(); at += 2) zeros += begin[at] == 0 && begin[at - 1] != 0;
    return begin.size() >= 8 && zeros * 4 > begin.size() - 2;
}

std::string from_url(std::string_view text) {
    std::string plain;
    for (std::size_t at = 0; at < text.size(); ++at) {
        unsigned code = 0;
        const auto digits = text.substr(std::min(at + 1, text.size()), 2);
        if (text[at] == '%' && digits.size() == 2 &&
            std::from_chars(digits.data(), digits.data() + 2, code, 16).ptr == digits.data() + 2) {
            plain += static_cast<char>(code);
            at += 2;
        } else {
            plain += text[at];
        }
    }
    return plain;
}

// How long the sequence is that begins with ESC: a colour, a movement, or a title that ends with BEL or another ESC.
std::size_t length_of_sequence(std::string_view text) {
    constexpr char escape = '\x1b';
    if (text.size() < 2) return 1;
    if (text[1] == '[') {
        const auto end =
            std::find_if(text.begin() + 2, text.end(), [](char each) { return each >= '@' || each < ' '; });
        return std::min(static_cast<std::size_t>(end - text.begin()) + 1, text.size());
    }
    if (text[1] != ']') return 2;
    const auto end = text.find_first_of("\a\x1b\n", 2);
    if (end == std::string_view::npos) return text.size();
    return end + (text[end] == escape ? 2 : text[end] == '\n' ? 0 : 1);
}

constexpr auto typography = std::to_array<std::pair<std::string_view, char>>({{"\xe2\x80\x98", '\''},
                                                                              {"\xe2\x80\x99", '\''},
                                                                              {"\xe2\x80\x9c", '"'},
                                                                              {"\xe2\x80\x9d", '"'},
                                                                              {"\xe2\x94\x82", ' '},
                                                                              {"\xc2\xa0", ' '},
                                                                              {"\\'", '\''},
                                                                              {"\\\"", '"'}});

// Does not change the length of what it does not replace, and reads most of the text in long runs.
std::string without_dressing(std::string text) {
    constexpr std::string_view special = "\x1b\xe2\xc2\\";
    if (text.find_first_of(special) == std::string::npos) return text;
    std::string plain;
    plain.reserve(text.size());
    std::string_view rest = text;
    while (!rest.empty()) {
        const auto run = std::min(rest.find_first_of(special), rest.size());
        plain += rest.substr(0, run);
        rest.remove_prefix(run);
        if (rest.empty()) break;
        if (rest.front() == '\x1b') {
            rest.remove_prefix(std::min(length_of_sequence(rest), rest.size()));
            continue;
        }
        const auto* const found =
            std::ranges::find_if(typography, [&](const auto& each) { return rest.starts_with(each.first); });
        const bool known = found != typography.end();
        plain += known ? found->second : rest.front();
        rest.remove_prefix(known ? found->first.size() : 1);
    }
    return plain;
}

}  // namespace

std::string readable(std::string text) {
    if (text.starts_with("\xff\xfe") || is_utf16_without_mark(text)) text = from_utf16(text, false);
    else if (text.starts_with("\xfe\xff")) text = from_utf16(text, true);
    if (text.starts_with("\xef\xbb\xbf")) text.erase(0, 3);
    constexpr std::size_t short_text = 65536;
    if (text.size() < short_text && (text.find(":%20") != std::string::npos ||
                                     (text.find(' ') == std::string::npos && text.find("%20") != std::string::npos)))
        text = from_url(text);
    return without_dressing(std::move(text));
}

}  // namespace tocuda::doctor
