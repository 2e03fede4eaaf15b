// tocuda, Apache-2.0.
// The files of `compare`, `judge` and `report`, and for the first their gathered sections.
#pragma once

#include <string>
#include <vector>

#include "comparison_input/gathering.hpp"
#include "model/problem.hpp"
#include "record/sections.hpp"

namespace tocuda {

struct ReadFiles {
    std::vector<GatheredSection> sections{};
    std::vector<std::string> files{};  // canonical paths, without those that are no result files
    std::vector<std::string> warnings{};
    int altered = 0;      // sections that were skipped because of that, or damaged
    std::string wrong{};  // why nothing can be compared: "FILE:LINE: problem"
};

// Returns the files, with each folder replaced by all *.jsonl below it, in the order of their names.
Expected<std::vector<std::string>> files_at(const std::vector<std::string>& places);

// A folder may hold other files too: says so, unless the file itself was `given`.
bool is_skipped(const std::string& file, const std::vector<std::string>& given);

std::string beginning_of(const std::string& file, std::size_t bytes);

// Reads them whole. One of a folder that cannot be read is skipped, which is said, and taken out of `files`; one that
// was `given` is a problem.
Expected<std::vector<Recording>> read_recordings(std::vector<std::string>& files,
                                                 const std::vector<std::string>& given);

// The same rule, section by section: reads files and, for a folder, all result files (*.jsonl) below it.
ReadFiles read_files(const std::vector<std::string>& places, RowNames& names);

}  // namespace tocuda
