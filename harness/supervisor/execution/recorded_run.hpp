// tocuda, Apache-2.0.
// Finds a run in a result file, with all its sections and its plan, in order to resume or repeat it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "execution/place.hpp"
#include "model/machine.hpp"
#include "model/plan.hpp"
#include "record/sections.hpp"
#include "terminal/complaint.hpp"

namespace tocuda {

struct FoundRun {
    std::vector<Recording> recordings{};  // the file; a vector, so that moving it keeps `sections` valid
    RunSections sections{};
    std::shared_ptr<const Plan> plan{};  // of its first section; never null

    const RunLine& first() const { return sections.front().section->run; }
    const RunLine& last() const { return sections.back().section->run; }
    bool ended() const { return sections.back().section->end.has_value(); }
    std::vector<Row> rows() const;
    std::vector<MeasurementRow> measurements() const;
};

// Returns the run of the file's last section.
OrExit<FoundRun> last_run_of(const std::string& file, const std::string& verb);

// Returns the run whose id begins with `prefix`, which may be empty if the file has only one.
OrExit<FoundRun> run_named(const std::string& file, const std::string& prefix);

// "FILE: no worker of this build has a b, c d and 3 more"; empty if nothing is missing.
std::string missing_text(const std::string& file, const std::vector<std::string>& missing);

// Returns why not, with the recorded and the present value; empty if it can.
std::string why_not_resumable(const RunLine& before, const RunLine& now);

// The same for a run and the place where it would be resumed.
std::string why_not_resumable(const FoundRun& before, const Place& place);

}  // namespace tocuda
