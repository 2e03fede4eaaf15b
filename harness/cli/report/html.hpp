// tocuda, Apache-2.0.
// Builds HTML. Markup can only be a literal, and every text that is put into it is escaped, so nothing that a file
// holds can become markup.
#pragma once

#include <fmt/core.h>

#include <string>
#include <string_view>
#include <type_traits>

#include "report/redaction.hpp"

namespace tocuda::page {

// For element content and quoted attributes. Control characters become visible, and no text is longer than 1,000
// bytes.
std::string escaped(std::string_view text);
// The same without a limit.
std::string escape(std::string_view text);

// A text that is not from a file: escaped, but never redacted.
struct OwnText {
    std::string text{};
};

class Html {
public:
    explicit Html(const Redaction& redaction) : hidden(&redaction) {}

    // Each {} takes a number as it is, a text escaped and redacted, or other HTML.
    template <class... Args>
    using Format = fmt::format_string<std::conditional_t<std::is_arithmetic_v<Args>, Args, std::string>...>;
    template <class... Args>
    Html& add(Format<Args...> format, const Args&... args) {
        built += fmt::vformat(format, fmt::make_format_args(safe(args)...));
        return *this;
    }

    // An element with the text of one of our own files, as it is.
    void add_file(std::string_view element, std::string_view file) {
        built += fmt::format("<{0}>{1}</{0}>", element, file);
    }

    const std::string& text() const { return built; }
    bool empty() const { return built.empty(); }
    const Redaction& redaction() const { return *hidden; }

private:
    template <class Arg>
    auto safe(const Arg& arg) const {
        if constexpr (std::is_same_v<Arg, Html>) return arg.built;
        else if constexpr (std::is_arithmetic_v<Arg>) return arg;
        else if constexpr (std::is_same_v<Arg, OwnText>) return escape(arg.text);
        else return escaped((*hidden)(arg));
    }

    const Redaction* hidden;
    std::string built{};
};

}  // namespace tocuda::page
