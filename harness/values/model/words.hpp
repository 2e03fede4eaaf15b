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

// Letters of ASCII only.
inline std::string lower(std::string_view text) {
    std::string small(text);
    for (auto& letter : small)
        if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
    return small;
}

// The whole word is the number, or there is none.
template <std::integral Integer = std::int64_t>
std::optional<Integer> whole_number(std::string_view word) {
    Integer number = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (error != std::errc{} || end != word.data() + word.size()) return std::nullopt;
    return number;
}

// Of a list like "0-3,8"; empty if it is malformed, or one of them is above `most`.
inline std::vector<int> numbers_in(std::string_view list, int most = 8191) {
    std::vector<int> numbers;
    for (const auto& part : parts_of(list, ',')) {
        const auto dash = part.find('-');
        const auto first = whole_number<int>(part.substr(0, dash));
        const auto last = dash == std::string::npos ? first : whole_number<int>(part.substr(dash + 1));
        if (!first || !last || *first < 0 || *last < *first || *last > most) return {};
        for (int number = *first; number <= *last; ++number) numbers.push_back(number);
    }
    return numbers;
}

}  // namespace tocuda
