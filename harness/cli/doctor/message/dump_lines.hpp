// tocuda, Apache-2.0.
// The lines of what other tools print, without what forums, terminals and logs put before each of them.
#pragma once

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace tocuda::doctor {

std::string_view stripped(std::string_view text);

// "[rank0]: > 2025-07-28 15:07:12,123 INFO stdout:     Pending : Yes": "Pending : Yes".
std::string_view without_prefixes(std::string_view line);

// The lines without prefixes, and without those that are empty then. They are parts of the text.
using Lines = std::vector<std::string_view>;
Lines plain_lines(std::string_view text);

// "Key : value", "**Key**: value" of a line, whatever stands before the key; nullopt if the key is not in it.
std::optional<std::string_view> value_of_key(std::string_view line, std::string_view key);

// The first address on the PCI bus in a line: "3b:00.0", "0000:3b:00.0", "00000000:3B:00.0"; empty if there is none.
std::string_view bus_address_in(std::string_view line);

// "550.90", "12.4": at least two numbers, so that a value that was cut is not taken for another one.
bool is_version(std::string_view value);

// {12, 4} for "12.4.1"; zeros where nothing is read.
std::pair<int, int> version_of(std::string_view value);

// "10.0" of "10.0,pytorch 1.3"; empty if the text does not begin with a number.
std::string_view leading_version(std::string_view text);

}  // namespace tocuda::doctor
