// tocuda, Apache-2.0.
// Finds the name that was most likely meant: the fewest edits away, where swapping two neighbouring letters is one
// edit.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tocuda {

// Damerau-Levenshtein distance (each part edited at most once), ignoring case.
std::size_t edits_between(std::string_view left, std::string_view right);

// Returns the first of the nearest names, nullopt if none is near enough. A name that begins with `name` is nearer than
// a mistyped one.
std::optional<std::string> nearest(std::string_view name, const std::vector<std::string>& names);

// Returns " (did you mean 'H200'?)", or an empty string.
std::string suggestion(std::string_view name, const std::vector<std::string>& names);

}  // namespace tocuda
