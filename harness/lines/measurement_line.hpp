// tocuda, Apache-2.0.
// A measurement row as a line of a result file.
#pragma once

#include <string>
#include <string_view>

#include "lines/parsed.hpp"
#include "model/measurement.hpp"

namespace tocuda {

std::string to_line(const MeasurementRow& row);  // {"kind":"measurement", ...}
Parsed<MeasurementRow> measurement_line(std::string_view line);

}  // namespace tocuda
