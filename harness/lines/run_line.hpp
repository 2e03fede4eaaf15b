// tocuda, Apache-2.0.
// The first and the last line of a section.
#pragma once

#include <string>
#include <string_view>

#include "lines/parsed.hpp"
#include "model/machine.hpp"

namespace tocuda {

struct EndLine {
    std::string status;  // complete, interrupted
    int rows = 0;
    std::string sha256;  // of all bytes of the section before this line
};

std::string to_line(const RunLine& run);
std::string to_line(const EndLine& end);

Parsed<RunLine> run_line(std::string_view line);
Parsed<EndLine> end_line(std::string_view line);

}  // namespace tocuda
