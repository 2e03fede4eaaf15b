// tocuda, Apache-2.0.
// A whole result file in memory: sections with their rows, and warnings. For many or long files use
// `record_reader.hpp`, which reports rows one at a time.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
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
    std::optional<EndLine> end;  // nullopt: the section is partial
    std::string digest{};        // SHA-256 of all bytes
    int altered_at = 0;          // the line of its end, whose checksum is not that of its bytes; 0: intact
};

struct Recording {
    std::filesystem::path file;
    std::vector<Section> sections;
    std::vector<std::string> warnings;  // "FILE:LINE: what"
};

// Skips damaged measurements with a warning, because the many others are still valid.
Expected<Recording> read_recording(const std::filesystem::path& file);

// What was altered is no result of the run that it names: drops such sections, with a warning for each.
inline constexpr auto skipped_as_altered = "section skipped because it was altered; see `tocuda verify`";
void drop_altered(Recording& recording);

// Groups the sections of result files into runs.
struct SectionPlace {
    const std::filesystem::path* file;
    const Section* section;
};

// The sections of one run and of those that resume it (`resumes`), by time. Never empty.
using RunSections = std::vector<SectionPlace>;

// Returns the runs in the order in which they first appear; the sections of a run may stand in any order. A section
// found several times counts once.
std::vector<RunSections> runs_of(const std::vector<Recording>& recordings);

}  // namespace tocuda
