// tocuda, Apache-2.0.
// Shared helpers for reading and writing JSON. Only files of this room include it.
#pragma once

#include <concepts>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lines/malformed.hpp"
#include "model/value.hpp"

namespace tocuda::json {

using Json = nlohmann::ordered_json;  // keeps `kind` first

// The library copies nested values recursively while parsing, so a damaged file could overflow the stack.
bool nests_too_deeply(std::string_view text);

// Parses one object or throws Malformed. The parser refuses invalid UTF-8, NaN and trailing garbage.
Json object(std::string_view line);

// Writes one line. Invalid UTF-8, as at the end of a crashed child's stderr, becomes replacement characters.
std::string text(const Json& value);

// The same, indented over several lines.
std::string pretty(const Json& document);

template <class Type>
bool holds(const Json& value) {
    if constexpr (std::same_as<Type, bool>) return value.is_boolean();
    else if constexpr (std::integral<Type>) return value.is_number_integer();
    else if constexpr (std::floating_point<Type>) return value.is_number();
    else if constexpr (std::same_as<Type, std::string>) return value.is_string();
    else return true;
}

// The library silently truncates integers to the requested type.
template <class Type>
bool fits(const Json& integer) {
    return integer.is_number_unsigned() ? std::in_range<Type>(integer.get<std::uint64_t>())
                                        : std::in_range<Type>(integer.get<std::int64_t>());
}

template <class Type>
Type field(const Json& object, const char* name) {
    const auto found = object.find(name);
    if (found == object.end()) throw Malformed("'" + std::string(name) + "' is missing");
    if (!holds<Type>(*found)) throw Malformed("'" + std::string(name) + "' has the wrong type");
    if constexpr (std::integral<Type> && !std::same_as<Type, bool>)
        if (!fits<Type>(*found)) throw Malformed("'" + std::string(name) + "' is out of range");
    return found->template get<Type>();
}

// Reads a count or measurement, which must not be negative.
template <class Type>
Type amount(const Json& object, const char* name) {
    const auto value = field<Type>(object, name);
    if (value < 0) throw Malformed("'" + std::string(name) + "' is negative");
    return value;
}

template <class Type>
Type amount_or(const Json& object, const char* name, Type otherwise) {
    return object.contains(name) ? amount<Type>(object, name) : otherwise;
}

// In documents, an unknown value is null.
template <class Type>
Json or_null(const std::optional<Type>& value) {
    return value ? Json(*value) : Json(nullptr);
}

// In lines, an unknown value is an absent field, never null.
template <class Type>
void put(Json& object, const char* name, const std::optional<Type>& value) {
    if (value) object[name] = *value;
}

template <class Type>
void take(const Json& object, const char* name, std::optional<Type>& value) {
    if (object.contains(name)) value = field<Type>(object, name);
}

template <class Type>
Type field_or(const Json& object, const char* name, Type otherwise) {
    return object.contains(name) ? field<Type>(object, name) : otherwise;
}

inline const Json& list(const Json& object, const char* name) {
    const auto found = object.find(name);
    if (found == object.end() || !found->is_array()) throw Malformed("'" + std::string(name) + "' is not a list");
    return *found;
}

inline const Json& part(const Json& object, const char* name) {
    const auto found = object.find(name);
    if (found == object.end() || !found->is_object()) throw Malformed("'" + std::string(name) + "' is not an object");
    return *found;
}

inline std::vector<std::string> words_or_none(const Json& object, const char* name) {
    std::vector<std::string> words;
    if (!object.contains(name)) return words;
    for (const auto& word : list(object, name)) {
        if (!word.is_string()) throw Malformed("'" + std::string(name) + "' contains something other than text");
        words.push_back(word.get<std::string>());
    }
    return words;
}

Json from_value(const Value& value);
Value to_value(const Json& value);

}  // namespace tocuda::json
