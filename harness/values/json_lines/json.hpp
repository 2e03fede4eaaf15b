// tocuda, Apache-2.0.
// Writes JSON. Only files of this room include it; `dom.hpp` reads.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "model/evidence.hpp"

namespace tocuda::json {

using Json = nlohmann::ordered_json;  // keeps `kind` first

// Writes one line. Invalid UTF-8, as at the end of a crashed child's stderr, becomes replacement characters.
std::string text(const Json& value);

// The same, indented over several lines.
std::string pretty(const Json& document);

Json from_value(const Value& value);

// In lines, an unknown value is an absent field, never null.
template <class Type>
void put(Json& object, const char* name, const std::optional<Type>& value) {
    if (value) object[name] = *value;
}

}  // namespace tocuda::json
