// tocuda, Apache-2.0.
// A result file while it is read: sections of lines, with what is wrong and where.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "lines/run_line.hpp"
#include "model/measurement.hpp"
#include "model/row.hpp"

namespace tocuda {

struct RecordedRow {
    int line = 0;  // in the file, from 1
    std::string text;
    Row row;
};

struct RecordedMeasurement {
    int line = 0;
    std::string text;
    MeasurementRow row;
};

struct Section {
    RunLine run;
    std::vector<RecordedRow> rows;  // of scenarios
    std::vector<RecordedMeasurement> measurements;
    std::optional<EndLine> end;  // none: the section is partial
};

struct Recording {
    std::filesystem::path file;
    std::vector<Section> sections;
    std::vector<std::string> warnings;  // FILE:LINE: what
};

// FILE:LINE: what is wrong, for a file that cannot be read.
struct Unreadable {
    std::string what;
};

// A measurement's row that is damaged is left out with a warning: what a thousand others say still counts.
std::variant<Recording, Unreadable> read_recording(const std::filesystem::path& file);

}  // namespace tocuda
