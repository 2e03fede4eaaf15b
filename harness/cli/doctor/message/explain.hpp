// tocuda, Apache-2.0.
// Finds the first cause in a pasted error text or log, and explains it. Pure, and linear in the length of the text.
#pragma once

#include <optional>
#include <string_view>

#include "model/explanation.hpp"

namespace tocuda::doctor {

// nullopt if no error that has to do with a GPU is found. The text may be any bytes of any length.
// The first error of a text is explained, not what followed from it; an error that names a cause is preferred to
// earlier lines that only announce one.
std::optional<Explanation> explain(std::string_view text);

}  // namespace tocuda::doctor
