// tocuda, Apache-2.0.
// Finds the newest recorded results of a scenario or benchmark.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/row.hpp"
#include "model/summary.hpp"
#include "record/sections.hpp"

namespace tocuda {

// The newest result file of a folder that has such a section; nullopt if there is none. `doubts` are newer
// files that cannot be read. It is not verified.
struct NewestRecording {
    std::optional<Recording> recording{};
    std::vector<std::string> doubts{};
};
NewestRecording newest_recording(const std::filesystem::path& folder, const std::function<bool(const Section&)>& suits);

struct LastSeen {
    std::filesystem::path folder{};
    std::filesystem::path file{};
    std::vector<Row> rows{};
    std::string libtorch{};      // "2.15"
    std::string machine{};       // "NVIDIA H200": its GPUs; "no GPU"
    Suite suite{};               // that recorded it, and gave the verdicts
    std::string judged_again{};  // by whom, if these are not the recorded verdicts
    std::vector<std::string> doubts{};
};

// Looks through the newest result files of a folder, newest first. `doubts` also say why the file does not verify.
LastSeen last_seen(const std::filesystem::path& folder, const std::string& scenario);

struct LastMeasured {
    std::filesystem::path file{};
    std::vector<RowSummary> rows{};
    std::vector<std::string> doubts{};
    std::string machine{};
};

// The same for a benchmark, or for the rows whose id begins so, summarised over the processes of the newest file with a
// value that is not simulated; or if none has one, of the newest with a value, or else of the newest. `doubts` also
// name a newer file.
LastMeasured last_measured(const std::filesystem::path& folder, const std::string& name);

}  // namespace tocuda
