// tocuda, Apache-2.0.
// Prints the result of `bench --against` and `--against-driver`: a table of changes, or a document.
#pragma once

#include <string>
#include <vector>

#include "comparison_rules/paired_comparison.hpp"
#include "json_lines/documents.hpp"
#include "model/measurement.hpp"
#include "request/other_build.hpp"
#include "request/request.hpp"
#include "terminal/complaint.hpp"

namespace tocuda {

struct PairedMeasurement {
    ComparedRow name{};  // identifies the row; without starts
    PairedRow rounds{};
};

// What two sides measured in turns.
struct InTurns {
    RunLine line{};  // of this side
    std::string file{};
    std::string other_file{};
    std::vector<PairedMeasurement> pairs{};
    std::vector<MeasurementRow> rows{};  // of this side
    bool complete = false;
};

// What was compared: the lines above the table and below its totals, and what the document says.
struct AgainstWords {
    std::string before{};
    std::string after{};
    std::string says{};
    AgainstWhat what{};
};

AgainstWords against_build(const OtherBuild& other);
AgainstWords against_libcuda(const std::string& folder, const LibcudaPair& libcuda);

// Returns the exit code, which says whether the new side is slower.
OrExit<int> report_against(const InTurns& measured, AgainstWords words, const BenchRequest& options);

}  // namespace tocuda
