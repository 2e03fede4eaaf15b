// tocuda, Apache-2.0.
// The output of `tocuda --version`: a sentence, or with --json a line that another build of tocuda reads.
#pragma once

#include <string>
#include <string_view>

#include "model/machine.hpp"
#include "model/problem.hpp"

namespace tocuda {

std::string version_text(const Build& build);  // "tocuda 0.1.0 (0123456789ab, with changes)"
std::string to_line(const Build& build);

// Reads either form. Builds that only print the sentence use protocol 1.
Expected<Build> build_line(std::string_view said);

}  // namespace tocuda
