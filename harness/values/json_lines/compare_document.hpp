// tocuda, Apache-2.0.
// The JSON documents of `compare` and `bench --against`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "json_lines/documents.hpp"
#include "model/change_report.hpp"
#include "model/machine.hpp"
#include "model/published.hpp"
#include "model/reproduction.hpp"

namespace tocuda {

// Whether the new side is as recorded: of what, in which files, and the answer; and what others published of its rows.
struct NormalAnswer {
    std::string machine{};
    std::vector<std::string> files{};
    std::string text{};
    std::vector<HeldRow> published{};
};

std::string compare_document(const ChangeReport& report, const std::optional<NormalAnswer>& normal = {});
std::string fleet_document(const FleetReport& report);
std::string history_document(const HistoryReport& report);

// The libcuda of a folder beside the installed one, on the installed kernel module.
struct LibcudaPair {
    std::string version{};    // "590.44.01"
    std::string cuda{};       // "13.1"
    std::string installed{};  // version of the installed one
    std::string installed_cuda{};
    std::string module{};
};

// "only the user-mode libcuda changed: ...": what a verdict about it says, and what it does not.
std::string libcuda_words(const LibcudaPair& libcuda);

// What `bench --against` (another build) or `--against-driver` (another libcuda) measured in turns.
struct AgainstWhat {
    std::string folder{};
    std::string file{};
    std::optional<Build> build{};
    std::optional<LibcudaPair> libcuda{};
};

// Returns the document of `bench` with the rows of `compare` and their totals under "against".
std::string against_document(const RecordedRun& bench, const AgainstWhat& what, const ChangeReport& report);

// The document of `reproduce`.
std::string reproduce_document(const Reproduction& reproduction);

}  // namespace tocuda
