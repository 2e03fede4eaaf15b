// tocuda, Apache-2.0.
// Reads verdicts, devices and observations from JSON, and converts Malformed into a Parsed value.
#pragma once

#include "lines/json.hpp"
#include "lines/parsed.hpp"
#include "model/row.hpp"

namespace tocuda::json {

inline Verdict verdict_field(const Json& object, const char* name) {
    const auto text = field<std::string>(object, name);
    if (const auto verdict = verdict_of(text)) return *verdict;
    throw Malformed("'" + text + "' is not a valid verdict");
}

inline Device device_field(const Json& object) {
    const auto text = field<std::string>(object, "device");
    for (const auto device : {Device::none, Device::simulated, Device::real})
        if (word(device) == text) return device;
    throw Malformed("'" + text + "' is not a valid device");
}

inline Value visible_value(Value value) {
    if (auto* text = std::get_if<std::string>(&value.held)) *text = visible_lines(*text);
    if (auto* values = std::get_if<Values>(&value.held))
        for (auto& one : *values) one = visible_value(std::move(one));
    return value;
}

// Control characters are removed when first read, so that judging a recorded file again sees the same text.
inline Observation observation(const Json& object) {
    const auto value = object.find("value");
    if (value == object.end()) throw Malformed("'value' is missing");
    return {visible(field<std::string>(object, "key")), visible_value(to_value(*value)),
            field_or<bool>(object, "computed", true)};
}

template <class Type, class Read>
Parsed<Type> parsed(std::string_view line, Read read) {
    try {
        return {read(object(line)), {}};
    } catch (const Malformed& malformed) {
        return {std::nullopt, visible(malformed.what())};
    } catch (const Json::exception& exception) {
        return {std::nullopt, visible(exception.what())};
    }
}

}  // namespace tocuda::json
