// tocuda, Apache-2.0.
// The name that a person most likely meant: the least edits away, a swap of two neighbours being one edit.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tocuda {

// Damerau-Levenshtein distance (each part edited once), upper and lower case being equal.
std::size_t edits_between(std::string_view left, std::string_view right);

// The first of the nearest names, or none where nothing is near enough to be what was meant.
// A name that was begun and not finished is nearer than one that was mistyped.
std::optional<std::string> nearest(std::string_view name, const std::vector<std::string>& names);

// "; did you mean 'H200'?", or nothing.
std::string suggestion(std::string_view name, const std::vector<std::string>& names);

}  // namespace tocuda
