// tocuda, Apache-2.0.
// In place of the header of this name, which also reads JSON.
#pragma once

#include "json_lines/json.hpp"

namespace tocuda::json {

inline Json of(const std::optional<std::string>& text) { return text ? Json(*text) : Json(nullptr); }

}  // namespace tocuda::json
