// tocuda, Apache-2.0.
// In place of the library of this name where `doctor` is compiled alone: writes documents of texts, numbers, lists and
// objects.
#pragma once

#include <cstdint>
#include <cstdio>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace nlohmann {

class ordered_json {
public:
    enum class error_handler_t { replace };

    ordered_json(std::nullptr_t = nullptr) : written("null") {}
    ordered_json(std::string_view text) : written(quoted(text)) {}
    ordered_json(const std::string& text) : written(quoted(text)) {}
    ordered_json(const char* text) : written(quoted(text)) {}
    template <class Number>
        requires std::is_integral_v<Number>
    ordered_json(Number number) {
        if constexpr (std::is_same_v<Number, bool>) written = number ? "true" : "false";
        else written = std::to_string(number);
    }
    ordered_json(const std::vector<std::string>& texts) : kind(Kind::list) {
        for (const auto& text : texts) push_back(text);
    }
    // As there: pairs that begin with a text are an object, anything else is a list.
    ordered_json(std::initializer_list<ordered_json> parts) : kind(Kind::object) {
        for (const auto& one : parts)
            if (one.kind != Kind::list || one.parts.size() != 2 || !one.parts[0].second.is_text()) kind = Kind::list;
        for (const auto& one : parts) {
            if (kind == Kind::list) push_back(one);
            else parts_of_object(one);
        }
    }

    static ordered_json array() {
        ordered_json list;
        list.kind = Kind::list;
        return list;
    }
    ordered_json& operator[](std::string_view name) {
        for (auto& [key, value] : parts)
            if (key == quoted(name)) return value;
        kind = Kind::object;
        return parts.emplace_back(quoted(name), nullptr).second;
    }
    void push_back(ordered_json one) { parts.emplace_back("", std::move(one)); }
    void push_back(std::initializer_list<ordered_json> one) { push_back(ordered_json(one)); }

    std::string dump(int indent, char, bool, error_handler_t, int deep = 0) const {
        if (kind == Kind::value) return written;
        const char* const ends = kind == Kind::list ? "[]" : "{}";
        if (parts.empty()) return ends;
        const auto line = [&](int levels) {
            return indent < 0 ? std::string() : "\n" + std::string(static_cast<std::size_t>(indent * levels), ' ');
        };
        std::string text(1, ends[0]);
        for (const auto& [name, one] : parts)
            text += (text.size() == 1 ? "" : ",") + line(deep + 1) +
                    (kind == Kind::list ? ""
                     : indent < 0       ? name + ":"
                                        : name + ": ") +
                    one.dump(indent, ' ', false, error_handler_t::replace, deep + 1);
        return text + line(deep) + ends[1];
    }

private:
    enum class Kind { value, list, object };

    bool is_text() const { return kind == Kind::value && written.starts_with('"'); }
    void parts_of_object(const ordered_json& pair) {
        parts.emplace_back(pair.parts[0].second.written, pair.parts[1].second);
    }

    // Returns the bytes of the character at the start, and whether it is whole.
    static std::pair<std::size_t, bool> character(std::string_view text) {
        const auto byte = [&](std::size_t at) { return at < text.size() ? static_cast<unsigned char>(text[at]) : 0U; };
        const auto first = byte(0);
        if (first < 0x80) return {1, true};
        if (first < 0xc2 || first > 0xf4) return {1, false};
        const std::size_t size = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
        for (std::size_t at = 1; at < size; ++at) {
            const unsigned least = at > 1 ? 0x80U : first == 0xe0 ? 0xa0U : first == 0xf0 ? 0x90U : 0x80U;
            const unsigned most = at > 1 ? 0xbfU : first == 0xed ? 0x9fU : first == 0xf4 ? 0x8fU : 0xbfU;
            if (byte(at) < least || byte(at) > most) return {at, false};
        }
        return {size, true};
    }

    static std::string quoted(std::string_view text) {
        std::string result = "\"";
        while (!text.empty()) {
            const auto [size, whole] = character(text);
            const char letter = text.front();
            const auto escape = std::string_view("\"\\\b\f\n\r\t").find(letter);
            if (escape != std::string_view::npos) result += {'\\', "\"\\bfnrt"[escape]};
            else if (static_cast<unsigned char>(letter) < 0x20) {
                char code[8];
                std::snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned>(letter));
                result += code;
            } else result += whole ? text.substr(0, size) : std::string_view("\xef\xbf\xbd");
            text.remove_prefix(size);
        }
        return result + "\"";
    }

    Kind kind = Kind::value;
    std::string written{};
    std::vector<std::pair<std::string, ordered_json>> parts{};
};

}  // namespace nlohmann
