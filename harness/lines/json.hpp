// tocuda, Apache-2.0.
// The parts of JSON reading and writing that this room's files share. Only files of this room include it.
#pragma once

#include <concepts>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "model/value.hpp"

namespace tocuda::json {

using Json = nlohmann::ordered_json;  // keeps `kind` first

struct Malformed : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// One object, or Malformed. Text that is not UTF-8, NaN and trailing garbage are refused by the parser.
inline Json object(std::string_view line) {
    auto parsed = Json::parse(line.begin(), line.end(), nullptr, false);
    if (parsed.is_discarded()) throw Malformed("not JSON");
    if (!parsed.is_object()) throw Malformed("not a JSON object");
    return parsed;
}

// Bytes that are no UTF-8 (the end of a crashed child's stderr) become replacement characters.
inline std::string text(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

template <class Type>
bool holds(const Json& value) {
    if constexpr (std::same_as<Type, bool>) return value.is_boolean();
    else if constexpr (std::integral<Type>) return value.is_number_integer();
    else if constexpr (std::floating_point<Type>) return value.is_number();
    else if constexpr (std::same_as<Type, std::string>) return value.is_string();
    else return true;
}

template <class Type>
Type field(const Json& object, const char* name) {
    const auto found = object.find(name);
    if (found == object.end()) throw Malformed("'" + std::string(name) + "' is missing");
    if (!holds<Type>(*found)) throw Malformed("'" + std::string(name) + "' is of another type");
    return found->template get<Type>();
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

Json from_value(const Value& value);
Value to_value(const Json& value);

}  // namespace tocuda::json
