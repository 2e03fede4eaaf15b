// tocuda, Apache-2.0.
// Prints the result of `bench --against`: a table of changes, or a document.
#pragma once

#include <string>
#include <vector>

#include "comparison_rules/paired_comparison.hpp"
#include "model/measurement.hpp"
#include "request/other_build.hpp"
#include "request/request.hpp"

namespace tocuda {

struct PairedMeasurement {
    ComparedRow name{};  // identifies the row; without starts
    PairedRow rounds{};
};

struct Against {
    const RunLine& run;
    const OtherBuild& other;
    std::string file{};
    std::string other_file{};
    std::vector<PairedMeasurement> pairs{};
    const std::vector<MeasurementRow>& rows;  // of this build
    bool complete = true;
};

// Returns the exit code, which says whether this build is slower.
int report_against(const Against& against, const BenchRequest& options);

}  // namespace tocuda
