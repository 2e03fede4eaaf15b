// tocuda, Apache-2.0.
// Reads JSON with simdjson, because files have hundreds of thousands of measurement rows: access to fields by name.
// Only files of this room include it.
#pragma once

#include <simdjson.h>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "json_lines/visible.hpp"
#include "model/measurement.hpp"
#include "model/problem.hpp"
#include "model/row.hpp"

namespace tocuda {

// How texts and numbers are read. Control characters could turn one name into another, so names may not have any; in
// other texts they are replaced when first read, so that judging a recorded file again sees the same text.
enum class As {
    is,
    amount,   // not negative
    name,     // refused if it has control characters
    shown,    // on one line
    lines,    // on several lines
    written,  // on one line, already when written
};

}  // namespace tocuda

namespace tocuda::dom {

using Element = simdjson::dom::element;

// Never leaves this room: other rooms get a value or a problem.
struct Malformed : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// The fields of one object. They are mostly read in file order, so each search starts after the last field found.
class Fields {
public:
    explicit Fields(simdjson::dom::object object);

    const Element* find(std::string_view name) const;
    auto begin() const { return fields.begin(); }
    auto end() const { return fields.end(); }

private:
    std::vector<std::pair<std::string_view, Element>> fields{};
    mutable std::size_t next = 0;
};

[[noreturn]] void refuse(std::string_view name, const char* what);

// For names: replacing control characters could turn one name into another. In other texts they are replaced.
void refuse_control_characters(std::string_view text, std::string_view name);

template <class Type>
Type as(const Element& element, std::string_view name) {
    constexpr bool is_whole = std::integral<Type> && !std::same_as<Type, bool>;
    constexpr bool is_count = std::same_as<Type, std::uint64_t>;
    using Held = std::conditional_t<is_whole && !is_count, std::int64_t,
                                    std::conditional_t<std::same_as<Type, std::string>, std::string_view, Type>>;
    Held value{};
    if (is_whole && !is_count && element.is_uint64() && !element.is_int64()) refuse(name, "is out of range");
    if (element.get(value) != simdjson::SUCCESS)
        refuse(name, is_count ? "is not a whole number from 0" : "has the wrong type");
    if constexpr (is_whole)
        if (!std::in_range<Type>(value)) refuse(name, "is out of range");
    return Type(value);
}

template <class Type>
Type field(const Fields& fields, std::string_view name) {
    const auto* found = fields.find(name);
    if (!found) refuse(name, "is missing");
    return as<Type>(*found, name);
}

std::string to_text(const Element& element, std::string_view name, As how);
// `how`: the texts in it.
Value to_value(const Element& element, std::string_view name, As how = As::is);
std::vector<double> to_seconds(const Element& element, std::string_view name);

// Parses an object. Refuses duplicate keys at any depth, because two readers could use different ones.
Fields parsed_object(simdjson::dom::parser& parser, std::string_view padded);

// Parses a single line and reads it with `read`.
template <class Type, class Read>
Expected<Type> parsed(std::string_view line, Read read) {
    std::string padded(line);
    padded.append(simdjson::SIMDJSON_PADDING, ' ');
    simdjson::dom::parser parser;
    try {
        return Type(read(parsed_object(parser, std::string_view(padded).substr(0, line.size()))));
    } catch (const Malformed& malformed) {
        return problem(visible(malformed.what()));
    }
}

}  // namespace tocuda::dom

namespace tocuda {

// Parses lines one after the other in the same memory, to avoid an allocation for each row of a long file.

// This many bytes after a line must be readable, whatever their content.
inline constexpr std::size_t line_padding = 64;

class LineParser {
public:
    LineParser();
    ~LineParser();
    LineParser(LineParser&&) noexcept;
    LineParser& operator=(LineParser&&) noexcept;

    // Parses a line, which must be one JSON object with a `kind` and without duplicate keys.
    Expected<void> take(std::string_view padded);

    // These refer to the line that was last taken.
    std::string_view kind() const;
    Expected<void> to(MeasurementRow& row) const;

private:
    struct Parsed;
    std::unique_ptr<Parsed> parsed;
};

}  // namespace tocuda
