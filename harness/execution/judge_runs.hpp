// tocuda, Apache-2.0.
// Groups the sections of result files into runs, and summarises what these measured.
#pragma once

#include <vector>

#include "lines/documents.hpp"
#include "record/sections.hpp"

namespace tocuda {

struct SectionPlace {
    const std::filesystem::path* file;
    const Section* section;
};

// The sections of one run and of those that resume it (`resumes`), by time. Never empty.
using RunSections = std::vector<SectionPlace>;

// Returns the runs in the order in which they first appear; the sections of a run may stand in any order. A section
// found several times counts once.
std::vector<RunSections> runs_of(const std::vector<Recording>& recordings);

// A run with its measurements; its scenarios are added by whoever judges them.
RecordedRun recorded_run(const RunSections& sections);

}  // namespace tocuda
