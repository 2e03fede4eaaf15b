// tocuda, Apache-2.0.
// The result file of another tool as a section of ours: of nvbandwidth, nccl-tests, nvbench, Google Benchmark or
// BabelStream. Its rows are compared with rows of the same tool only. Pure, but for the name of the file that it is
// told.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/machine.hpp"
#include "model/measurement.hpp"
#include "model/problem.hpp"

namespace tocuda {

// What a person adds to what a file says. It may repeat that, but not contradict it.
struct Told {
    std::optional<std::string> driver{};
    std::optional<std::string> gpu{};  // the model of all of them
    std::optional<std::string> host{};
    std::optional<std::string> time{};  // UTC: "2026-11-21T10:00:00Z"
};

struct ImportedFile {
    RunLine run{};
    std::deque<MeasurementRow> rows{};  // never moved: they are large
    bool cut_off = false;
};

// `about`: the suite that imports, and its time, which stands for one that nobody knows.
Expected<ImportedFile> import_text(std::string_view text, const std::string& file, const Told& told,
                                   const RunLine& about);

// Whether its time is that of the import, because nobody knows when it was measured.
bool is_dated_by_import(const RunLine& run);

// The lines of its section, the last with the checksum of the others.
std::string section_of(const ImportedFile& file);

}  // namespace tocuda
