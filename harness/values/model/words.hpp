// tocuda, Apache-2.0.
// A line's words, a word as a whole number, and words as a line: what small text formats are made of.
#pragma once

#include <charconv>
#include <concepts>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tocuda {

// Parts between spaces and tabs.
inline std::vector<std::string_view> words_of(std::string_view line) {
    std::vector<std::string_view> words;
    while (true) {
        const auto begin = line.find_first_not_of(" \t");
        if (begin == std::string_view::npos) return words;
        line.remove_prefix(begin);
        const auto length = line.find_first_of(" \t");
        words.push_back(line.substr(0, length));
        if (length == std::string_view::npos) return words;
        line.remove_prefix(length);
    }
}

// Parts between separators; empty ones, too.
inline std::vector<std::string> parts_of(std::string_view text, char separator) {
    std::vector<std::string> parts(1);
    for (const char letter : text) {
        if (letter == separator) parts.emplace_back();
        else parts.back() += letter;
    }
    return parts;
}

// The parts, or what stands for each, with something between them.
template <class Parts, class Words = std::identity>
std::string joined(const Parts& parts, std::string_view between = ", ", Words words = {}) {
    std::string text;
    bool is_first = true;
    for (const auto& part : parts) {
        if (!is_first) text += between;
        text += std::invoke(words, part);
        is_first = false;
    }
    return text;
}

// The whole word is the number, or there is none.
template <std::integral Integer = std::int64_t>
std::optional<Integer> whole_number(std::string_view word) {
    Integer number = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (error != std::errc{} || end != word.data() + word.size()) return std::nullopt;
    return number;
}

}  // namespace tocuda
