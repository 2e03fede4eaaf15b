// tocuda, Apache-2.0.
// A scenario row as a line of a result file.
#pragma once

#include <string>
#include <string_view>

#include "lines/parsed.hpp"
#include "model/row.hpp"

namespace tocuda {

std::string to_line(const Row& row);
Parsed<Row> row_line(std::string_view line);

}  // namespace tocuda
