// tocuda, Apache-2.0.
#include "model/parameter_text.hpp"

#include <array>
#include <charconv>

namespace tocuda {
namespace {

// Returns the fewest digits that read back as the same number, on every machine and in every locale.
template <class Number>
std::string digits(Number number) {
    std::array<char, 64> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), number).ptr;
    return {text.data(), end};
}

struct Plain {
    std::string operator()(std::monostate) const { return "null"; }
    std::string operator()(bool value) const { return value ? "true" : "false"; }
    std::string operator()(std::int64_t value) const { return digits(value); }
    std::string operator()(double value) const { return digits(value); }
    std::string operator()(const std::string& value) const { return value; }
    std::string operator()(const Values& values) const {
        std::string list;
        for (const auto& value : values) list += (list.empty() ? "" : ",") + plain(value);
        return list;
    }
};

}  // namespace

std::string plain(const Value& value) { return std::visit(Plain{}, value.held); }

std::string plain(const Parameters& parameters) {
    std::string text;
    for (const auto& [name, value] : parameters) {
        if (!text.empty()) text += ' ';
        text.append(name).append("=").append(plain(value));
    }
    return text;
}

}  // namespace tocuda
