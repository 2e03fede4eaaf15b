// tocuda, Apache-2.0.
// A measurement row as a line of a result file.
#pragma once

#include <string>
#include <string_view>

#include "model/measurement.hpp"
#include "model/problem.hpp"

namespace tocuda {

std::string to_line(const MeasurementRow& row);  // {"kind":"measurement", ...}
Expected<MeasurementRow> measurement_line(std::string_view line);

}  // namespace tocuda
