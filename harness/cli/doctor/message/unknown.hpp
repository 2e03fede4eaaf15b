// tocuda, Apache-2.0.
// A text in which explain() knows no error: what it is by its look, and what to paste instead.
#pragma once

#include <string>
#include <string_view>

namespace tocuda::doctor {

std::string what_it_looks_like(std::string_view text);

// The last line that ends a traceback, known or not; empty if there is none.
std::string_view last_error_in(std::string_view text);

}  // namespace tocuda::doctor
