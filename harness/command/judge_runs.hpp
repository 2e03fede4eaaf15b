// tocuda, Apache-2.0.
// Sections of files to the runs that they are parts of.
#pragma once

#include <vector>

#include "record/sections.hpp"

namespace tocuda {

struct SectionPlace {
    const std::filesystem::path* file;
    const Section* section;
};

// The sections of one run and of those that go on with it (`resumes`), by their time. There is at least one.
using RunSections = std::vector<SectionPlace>;

// In the order in which they first appear, whatever the order of the sections within a run. A section that stands in
// several files, or several times in one, counts once.
std::vector<RunSections> runs_of(const std::vector<Recording>& recordings);

}  // namespace tocuda
