// tocuda, Apache-2.0.
// The tool that measured imported rows, as text: "nvbandwidth v0.8".
#pragma once

#include <string>

#include "model/machine.hpp"

namespace tocuda {

inline std::string tool_words(const Import& from) { return from.tool + (from.version ? " " + *from.version : ""); }

}  // namespace tocuda
