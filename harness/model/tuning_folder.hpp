// tocuda, Apache-2.0.
// The folder of benchmarks that measure every variant of another, to choose among them.
#pragma once

#include <string_view>

namespace tocuda {

// They are measured where they are named, and never with everything else.
inline constexpr std::string_view tuning_folder = "tune/";

}  // namespace tocuda
