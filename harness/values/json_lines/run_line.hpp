// tocuda, Apache-2.0.
// The first and the last line of a section.
#pragma once

#include <string>
#include <string_view>

#include "model/machine.hpp"
#include "model/problem.hpp"

namespace tocuda {

struct EndLine {
    std::string status;  // complete, interrupted
    int rows = 0;
    std::string sha256;  // of all bytes of the section before this line
};

std::string to_line(const RunLine& run);
std::string to_line(const EndLine& end);

Expected<RunLine> run_line(std::string_view line);
Expected<EndLine> end_line(std::string_view line);

}  // namespace tocuda
