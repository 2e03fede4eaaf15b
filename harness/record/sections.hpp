// tocuda, Apache-2.0.
// A whole result file in memory: sections of rows, with what is wrong and where. Where files are many or long,
// `record_reader.hpp` tells of each row as it comes.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "record/record_reader.hpp"

namespace tocuda {

struct RecordedRow {
    int line = 0;  // in the file, from 1
    Row row;
};

struct RecordedMeasurement {
    int line = 0;
    MeasurementRow row;
};

struct Section {
    RunLine run;
    std::vector<RecordedRow> rows;  // of scenarios
    std::vector<RecordedMeasurement> measurements;
    std::optional<EndLine> end;  // none: the section is partial
    std::string digest{};        // of all of its bytes, as they are
};

struct Recording {
    std::filesystem::path file;
    std::vector<Section> sections;
    std::vector<std::string> warnings;  // FILE:LINE: what
};

// A measurement's row that is damaged is left out with a warning: what a thousand others say still counts.
std::variant<Recording, Unreadable> read_recording(const std::filesystem::path& file);

}  // namespace tocuda
