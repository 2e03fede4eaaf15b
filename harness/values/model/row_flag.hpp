// tocuda, Apache-2.0.
// What a reader of a row must know: a code that programs know, and what belongs to it, such as a number. A remark,
// which only people read, has no code. Files and documents have it as text: "sm_clock_counted (1800 of 1980 MHz)".
#pragma once

#include <algorithm>
#include <concepts>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tocuda {

struct Flag {
    std::string code{};  // of small letters, digits and underscores
    std::string detail{};

    Flag() = default;
    Flag(std::string what, std::string more) : code(std::move(what)), detail(std::move(more)) {}
    template <std::convertible_to<std::string_view> Text>
    Flag(const Text& text) : Flag(of(text)) {}

    std::string text() const { return code.empty() || detail.empty() ? code + detail : code + " (" + detail + ")"; }

    bool operator==(const Flag&) const = default;
    auto operator<=>(const Flag&) const = default;

private:
    static Flag of(std::string_view text);
};

using Flags = std::vector<Flag>;

// Which variant was measured, and who chose it: "unrolled in_flight=12, run ea3f9968".
inline constexpr std::string_view chosen_flag = "chosen";

inline Flag Flag::of(std::string_view text) {
    // Older recordings have "by VARIANT (SOURCE)" instead of "chosen (VARIANT, SOURCE)".
    const auto source = text.rfind(" (");
    if (text.starts_with("by ") && text.ends_with(')') && source != std::string_view::npos)
        return {std::string(chosen_flag), std::string(text.substr(3, source - 3)) + ", " +
                                              std::string(text.substr(source + 2, text.size() - source - 3))};
    const auto end = text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_");
    if (end == std::string_view::npos) return {std::string(text), ""};
    const auto rest = text.substr(end);
    if (end == 0 || !rest.starts_with(" (") || !rest.ends_with(')')) return {"", std::string(text)};
    return {std::string(text.substr(0, end)), std::string(rest.substr(2, rest.size() - 3))};
}

// Adds what is not there.
inline void add_flag(Flags& flags, const Flag& flag) {
    if (std::ranges::find(flags, flag) == flags.end()) flags.push_back(flag);
}
inline void add_flags(Flags& flags, const Flags& more) {
    for (const auto& flag : more) add_flag(flags, flag);
}

inline bool has_flag(const Flags& flags, std::string_view code) {
    return std::ranges::find(flags, code, &Flag::code) != flags.end();
}

}  // namespace tocuda
