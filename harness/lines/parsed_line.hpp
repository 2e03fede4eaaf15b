// tocuda, Apache-2.0.
// Parses a single line of a kind that LineParser reads.
#pragma once

#include <string>
#include <string_view>

#include "lines/line_parser.hpp"
#include "lines/parsed.hpp"

namespace tocuda {

template <class Type>
Parsed<Type> parsed_line(std::string_view line, std::string_view kind) {
    std::string padded(line);
    padded.append(line_padding, ' ');
    LineParser parser;
    auto wrong = parser.take(std::string_view(padded).substr(0, line.size()));
    if (!wrong.empty()) return {std::nullopt, std::move(wrong)};
    if (parser.kind() != kind) return {std::nullopt, "'kind' is not '" + std::string(kind) + "'"};
    Type value{};
    wrong = parser.to(value);
    if (!wrong.empty()) return {std::nullopt, std::move(wrong)};
    return {std::move(value), {}};
}

}  // namespace tocuda
