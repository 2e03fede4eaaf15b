// tocuda, Apache-2.0.
// A scenario row as a line of a result file.
#pragma once

#include <string>
#include <string_view>

#include "model/problem.hpp"
#include "model/row.hpp"

namespace tocuda {

std::string to_line(const Row& row);
Expected<Row> row_line(std::string_view line);

}  // namespace tocuda
