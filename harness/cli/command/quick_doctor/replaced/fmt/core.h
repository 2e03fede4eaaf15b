// tocuda, Apache-2.0.
// In place of the library of this name where `doctor` is compiled alone: of its formats those that are used there. The
// full build checks formats and arguments, and a test compares what both print.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

namespace fmt {

using std::string_view;

using Argument = std::variant<std::string, long long, unsigned long long, double>;

inline std::string_view runtime(std::string_view pattern) { return pattern; }

inline std::string shortest(double value) {
    std::array<char, 400> text{};
    const bool fixed = value == 0 || (value < 1e16 && value > -1e16 && (value >= 1e-4 || value <= -1e-4));
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value,
                                   fixed ? std::chars_format::fixed : std::chars_format::scientific);
    return {text.data(), end.ptr};
}

inline std::string with_printf(std::string format, const Argument& argument, const char* length, char letter) {
    std::array<char, 400> text{};
    format = "%" + format + length + letter;
    std::visit(
        [&](const auto& value) {
            if constexpr (!std::is_class_v<std::remove_cvref_t<decltype(value)>>)
                std::snprintf(text.data(), text.size(), format.c_str(), value);
        },
        argument);
    return text.data();
}

// "#06x", ".2f", "<12"; `width` in place of {}.
inline std::string formatted(std::string spec, const Argument& argument) {
    const char letter = spec.empty() ? ' ' : spec.back();
    if (std::holds_alternative<double>(argument)) {
        if (spec.empty()) return shortest(std::get<double>(argument));
        return with_printf(spec.substr(0, spec.size() - 1), argument, "", letter);
    }
    std::string text;
    if (letter == 'x' || letter == 'X') return with_printf(spec.substr(0, spec.size() - 1), argument, "ll", letter);
    if (const auto* said = std::get_if<std::string>(&argument)) text = *said;
    else text = with_printf("", argument, "ll", std::holds_alternative<long long>(argument) ? 'd' : 'u');
    const bool is_text = std::holds_alternative<std::string>(argument);
    const bool left = spec.starts_with('<') || (is_text && !spec.starts_with('>'));
    if (spec.starts_with('<') || spec.starts_with('>')) spec.erase(0, 1);
    std::size_t width = 0;
    const auto [end, wrong] = std::from_chars(spec.data(), spec.data() + spec.size(), width);
    if (!spec.empty() && (wrong != std::errc() || end != spec.data() + spec.size()))
        throw std::logic_error("a format that is not known here: " + spec);
    if (text.size() < width) text.insert(left ? text.size() : 0, width - text.size(), ' ');
    return text;
}

inline std::string put_together(std::string_view pattern, const Argument* arguments, std::size_t count) {
    std::string text;
    std::size_t used = 0;
    // "0" of {0:<12} names the argument; without a number it is the next one.
    const auto taken = [&](const std::string& spec) -> const Argument& {
        std::size_t number = 0;
        const auto [end, wrong] =
            std::from_chars(spec.data(), spec.data() + std::min(spec.find(':'), spec.size()), number);
        if (wrong != std::errc()) number = used++;
        if (number >= count) throw std::logic_error("too few arguments");
        return arguments[number];
    };
    while (!pattern.empty()) {
        const auto brace = pattern.find_first_of("{}");
        text += pattern.substr(0, brace);
        if (brace == std::string_view::npos) break;
        pattern.remove_prefix(brace);
        if (pattern.starts_with("{{") || pattern.starts_with("}}")) {
            text += pattern.front();
            pattern.remove_prefix(2);
            continue;
        }
        auto close = pattern.find('}');
        std::string spec(pattern.substr(1, close - 1));
        const auto& value = taken(spec);
        if (const auto inner = spec.find('{'); inner != std::string::npos) {
            spec = spec.substr(0, inner) + formatted("", taken(""));
            close = pattern.find('}', close + 1);
        }
        const auto colon = spec.find(':');
        text += formatted(colon == std::string::npos ? "" : spec.substr(colon + 1), value);
        pattern.remove_prefix(close + 1);
    }
    return text;
}

template <class Type>
Argument as_argument(const Type& value) {
    if constexpr (std::is_same_v<Type, bool>) return value ? "true" : "false";
    else if constexpr (std::is_same_v<Type, char>) return std::string(1, value);
    else if constexpr (std::is_floating_point_v<Type>) return static_cast<double>(value);
    else if constexpr (std::is_unsigned_v<Type>) return static_cast<unsigned long long>(value);
    else if constexpr (std::is_integral_v<Type>) return static_cast<long long>(value);
    else return std::string(std::string_view(value));
}

template <class... Types>
std::string format(std::string_view pattern, const Types&... values) {
    const std::array<Argument, sizeof...(Types)> arguments{as_argument(values)...};
    return put_together(pattern, arguments.data(), arguments.size());
}

template <class... Types>
void print(std::string_view pattern, const Types&... values) {
    std::fputs(fmt::format(pattern, values...).c_str(), stdout);
}

template <class Type>
std::string to_string(const Type& value) {
    return fmt::format("{}", value);
}

template <class Range>
std::string join(const Range& range, std::string_view between) {
    std::string text;
    bool first = true;
    for (const auto& one : range) {
        if (!first) text += between;
        first = false;
        text += fmt::format("{}", one);  // std::format would be as good a match
    }
    return text;
}

}  // namespace fmt
