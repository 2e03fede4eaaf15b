// tocuda, Apache-2.0.
#include "tables/last_seen.hpp"

#include <algorithm>

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

std::optional<Recording> newest_recording(const std::filesystem::path& folder,
                                          const std::function<bool(const Section&)>& suits) {
    for (const auto& file : newest_files(folder)) {
        auto recording = read_recording(file);
        if (recording && std::ranges::any_of(recording->sections, suits)) return *std::move(recording);
    }
    return std::nullopt;
}

LastSeen last_seen(const std::filesystem::path& folder, const std::string& scenario) {
    const auto is_of_it = [&](const RecordedRow& row) { return row.row.name == scenario; };
    const auto recording = newest_recording(folder, [&](const Section& section) {
        return std::any_of(section.rows.begin(), section.rows.end(), is_of_it);
    });
    if (!recording) return {};
    LastSeen found{recording->file, {}};
    for (const auto& section : recording->sections)
        for (const auto& row : section.rows)
            if (is_of_it(row)) found.rows.push_back(row.row);
    return found;
}

LastMeasured last_measured(const std::filesystem::path& folder, const std::string& benchmark) {
    const auto is_of_it = [&](const RecordedMeasurement& one) { return one.row.benchmark == benchmark; };
    const auto recording = newest_recording(folder, [&](const Section& section) {
        return std::any_of(section.measurements.begin(), section.measurements.end(), is_of_it);
    });
    if (!recording) return {};
    std::vector<MeasurementRow> rows;
    for (const auto& section : recording->sections)
        for (const auto& one : section.measurements)
            if (is_of_it(one)) rows.push_back(one.row);
    return {recording->file, summaries(rows, recording->sections.back().run.gpus)};
}

}  // namespace tocuda
