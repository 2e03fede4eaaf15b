// tocuda, Apache-2.0.
// The parts of JSON reading and writing that this room's files share. Only files of this room include it.
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

// The library copies nested values by recursion while it parses: a damaged file could overrun the stack.
bool nests_too_deeply(std::string_view text);

// One object, or Malformed. Text that is not UTF-8, NaN and trailing garbage are refused by the parser.
Json object(std::string_view line);

// Bytes that are no UTF-8 (the end of a crashed child's stderr) become replacement characters.
std::string text(const Json& value);

// The same for people and programs that read a whole document.
std::string pretty(const Json& document);

template <class Type>
bool holds(const Json& value) {
    if constexpr (std::same_as<Type, bool>) return value.is_boolean();
    else if constexpr (std::integral<Type>) return value.is_number_integer();
    else if constexpr (std::floating_point<Type>) return value.is_number();
    else if constexpr (std::same_as<Type, std::string>) return value.is_string();
    else return true;
}

// The library cuts an integer to the bits it is asked for.
template <class Type>
bool fits(const Json& integer) {
    return integer.is_number_unsigned() ? std::in_range<Type>(integer.get<std::uint64_t>())
                                        : std::in_range<Type>(integer.get<std::int64_t>());
}

template <class Type>
Type field(const Json& object, const char* name) {
    const auto found = object.find(name);
    if (found == object.end()) throw Malformed("'" + std::string(name) + "' is missing");
    if (!holds<Type>(*found)) throw Malformed("'" + std::string(name) + "' is of another type");
    if constexpr (std::integral<Type> && !std::same_as<Type, bool>)
        if (!fits<Type>(*found)) throw Malformed("'" + std::string(name) + "' is out of range");
    return found->template get<Type>();
}

// What can be counted or measured, and is never below zero.
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

// In a document for programs what is not known is null.
template <class Type>
Json or_null(const std::optional<Type>& value) {
    return value ? Json(*value) : Json(nullptr);
}

// A field that could not be read is absent, never null.
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
    if (found == object.end() || !found->is_array()) throw Malformed("'" + std::string(name) + "' is no list");
    return *found;
}

inline const Json& part(const Json& object, const char* name) {
    const auto found = object.find(name);
    if (found == object.end() || !found->is_object()) throw Malformed("'" + std::string(name) + "' is no object");
    return *found;
}

inline std::vector<std::string> words_or_none(const Json& object, const char* name) {
    std::vector<std::string> words;
    if (!object.contains(name)) return words;
    for (const auto& word : list(object, name)) {
        if (!word.is_string()) throw Malformed("'" + std::string(name) + "' holds what is no text");
        words.push_back(word.get<std::string>());
    }
    return words;
}

Json from_value(const Value& value);
Value to_value(const Json& value);

}  // namespace tocuda::json
