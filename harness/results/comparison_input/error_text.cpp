// tocuda, Apache-2.0.
#include "comparison_input/error_text.hpp"

#include <algorithm>
#include <cctype>

namespace tocuda {
namespace {

bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }
bool is_hex(char letter) {
    return is_digit(letter) || (letter >= 'a' && letter <= 'f') || (letter >= 'A' && letter <= 'F');
}
bool is_word(char letter) { return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_'; }

std::size_t span(std::string_view text, std::size_t from, bool (*belongs)(char)) {
    auto end = from;
    while (end < text.size() && belongs(text[end])) ++end;
    return end;
}

bool is_path(char letter) {
    return is_word(letter) || letter == '/' || letter == '.' || letter == '-' || letter == '+';
}

// Returns the end of a unit of memory after a number: "1.95 GiB", "4503599627370496 bytes". Messages choose the unit by
// the amount.
std::size_t past_unit(std::string_view text, std::size_t from) {
    const auto begin = from < text.size() && text[from] == ' ' ? from + 1 : from;
    for (const std::string_view unit : {"bytes", "byte", "KiB", "MiB", "GiB", "TiB", "KB", "MB", "GB", "B"}) {
        const auto end = begin + unit.size();
        if (text.substr(begin).starts_with(unit) && (end >= text.size() || !is_word(text[end]))) return end;
    }
    return from;
}

std::size_t past_number(std::string_view text, std::size_t from) {
    auto end = span(text, from, is_digit);
    while (end + 1 < text.size() && text[end] == '.' && is_digit(text[end + 1])) end = span(text, end + 1, is_digit);
    return end;
}

// Returns the end of hexadecimal digits that are not a word: an address after "0x", or at least four with a decimal
// digit among them (parts of a UUID).
std::size_t past_hex(std::string_view text, std::size_t from) {
    if (text.substr(from).starts_with("0x")) return span(text, from + 2, is_hex);
    const auto end = span(text, from, is_hex);
    const auto digits = text.substr(from, end - from);
    const bool number = digits.size() >= 4 && std::any_of(digits.begin(), digits.end(), is_digit);
    return number && (end >= text.size() || !is_word(text[end])) ? end : from;
}

}  // namespace

bool holds_error_text(std::string_view key) {
    const auto last = key.substr(key.rfind('.') == std::string_view::npos ? 0 : key.rfind('.') + 1);
    return last == "message" || last == "warning" || last == "warnings";
}

std::string without_particulars(std::string_view text) {
    std::string plain;
    for (std::size_t at = 0; at < text.size();) {
        const bool within_word = at > 0 && is_word(text[at - 1]);
        if (text[at] == '/' && !within_word && (at == 0 || text[at - 1] != '/') && at + 1 < text.size() &&
            is_word(text[at + 1])) {
            const auto end = span(text, at, is_path);
            at += text.substr(at, end - at).rfind('/') + 1;  // keeps the file's name, which identifies it
            plain += "#/";
            continue;
        }
        auto end = within_word ? at : past_hex(text, at);
        if (end == at && is_digit(text[at]) && !within_word) end = past_number(text, at);
        if (end == at) {
            plain += text[at++];
            continue;
        }
        at = past_unit(text, end);
        plain += at > end ? "#B" : "#";
    }
    return plain;
}

}  // namespace tocuda
