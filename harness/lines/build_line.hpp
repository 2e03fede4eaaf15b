// tocuda, Apache-2.0.
// What `tocuda --version` says: a line for people, or with --json one for another build.
#pragma once

#include <string>
#include <string_view>

#include "lines/parsed.hpp"
#include "model/build.hpp"

namespace tocuda {

std::string version_text(const Build& build);  // "tocuda 0.1.0 (0123456789ab, with changes)"
std::string to_line(const Build& build);

// Either of them: a build from before there was a line for others says its sentence, and measures by protocol 1.
Parsed<Build> build_line(std::string_view said);

}  // namespace tocuda
