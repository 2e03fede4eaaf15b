// tocuda, Apache-2.0.
#include "command/last_seen.hpp"

#include <algorithm>

#include "record/sections.hpp"
#include "summary/row_summary.hpp"

namespace tocuda {
namespace {

constexpr std::size_t files_to_read = 30;

// Newest first: file names begin with the time.
std::vector<std::filesystem::path> newest_files(const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> files;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error))
        if (entry.path().extension() == ".jsonl") files.push_back(entry.path());
    std::sort(files.rbegin(), files.rend());
    if (files.size() > files_to_read) files.resize(files_to_read);
    return files;
}

}  // namespace

LastSeen last_seen(const std::filesystem::path& folder, const std::string& scenario) {
    for (const auto& file : newest_files(folder)) {
        auto recording = read_recording(file);
        if (!std::holds_alternative<Recording>(recording)) continue;
        LastSeen found{file, {}};
        for (const auto& section : std::get<Recording>(recording).sections)
            for (const auto& row : section.rows)
                if (row.row.name == scenario) found.rows.push_back(row.row);
        if (!found.rows.empty()) return found;
    }
    return {};
}

LastMeasured last_measured(const std::filesystem::path& folder, const std::string& benchmark) {
    for (const auto& file : newest_files(folder)) {
        auto recording = read_recording(file);
        if (!std::holds_alternative<Recording>(recording)) continue;
        std::vector<MeasurementRow> rows;
        std::vector<Gpu> gpus;
        for (const auto& section : std::get<Recording>(recording).sections) {
            gpus = section.run.gpus;
            for (const auto& one : section.measurements)
                if (one.row.benchmark == benchmark) rows.push_back(one.row);
        }
        if (!rows.empty()) return {file, summaries(rows, gpus)};
    }
    return {};
}

}  // namespace tocuda
