// tocuda, Apache-2.0.
// The lines of a result file.
#pragma once

#include <string>
#include <string_view>

#include "model/machine.hpp"
#include "model/measurement.hpp"
#include "model/problem.hpp"
#include "model/row.hpp"

namespace tocuda {

// The first and the last line of a section.
struct EndLine {
    std::string status;  // complete, interrupted
    int rows = 0;
    std::string sha256;  // of all bytes of the section before this line
};

std::string to_line(const RunLine& run);
std::string to_line(const EndLine& end);

Expected<RunLine> run_line(std::string_view line);
Expected<EndLine> end_line(std::string_view line);

// A scenario row as a line of a result file.
std::string to_line(const Row& row);
Expected<Row> row_line(std::string_view line);

// A measurement row as a line of a result file.
std::string to_line(const MeasurementRow& row);  // {"kind":"measurement", ...}
Expected<MeasurementRow> measurement_line(std::string_view line);

}  // namespace tocuda
