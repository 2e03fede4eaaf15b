// tocuda, Apache-2.0.
// What was last recorded here of a scenario.
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

// The same of a benchmark: what the processes of the newest file say together.
LastMeasured last_measured(const std::filesystem::path& folder, const std::string& benchmark);

}  // namespace tocuda
