// tocuda, Apache-2.0.
// The words of a line of a profile.
#pragma once

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

namespace tocuda::stand_in {

constexpr std::string_view blanks = " \t\r";

// All of the text, or nothing.
template <typename Number>
std::optional<Number> number_of(std::string_view text) {
    Number number{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return number;
}

// Takes the first word off the text, and the blanks on both its sides.
inline std::string_view word_of(std::string_view& text) {
    const auto skip_blanks = [&text] { text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size())); };
    skip_blanks();
    const auto word = text.substr(0, text.find_first_of(blanks));
    text.remove_prefix(word.size());
    skip_blanks();
    return word;
}

}  // namespace tocuda::stand_in
