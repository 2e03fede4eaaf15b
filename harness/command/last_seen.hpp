// tocuda, Apache-2.0.
// Finds the newest recorded results of a scenario or benchmark.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "model/row.hpp"
#include "model/summary.hpp"

namespace tocuda {

struct LastSeen {
    std::filesystem::path file;
    std::vector<Row> rows;
};

// Looks through the newest result files of a folder, newest first.
LastSeen last_seen(const std::filesystem::path& folder, const std::string& scenario);

struct LastMeasured {
    std::filesystem::path file;
    std::vector<RowSummary> rows;
};

// The same for a benchmark, summarised over the processes of the newest file.
LastMeasured last_measured(const std::filesystem::path& folder, const std::string& benchmark);

}  // namespace tocuda
