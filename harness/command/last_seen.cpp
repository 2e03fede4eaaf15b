// tocuda, Apache-2.0.
// The newest file that has rows of a scenario.
#include "command/last_seen.hpp"

#include <algorithm>

#include "record/sections.hpp"

namespace tocuda {
namespace {

constexpr std::size_t files_to_read = 30;

}  // namespace

LastSeen last_seen(const std::filesystem::path& folder, const std::string& scenario) {
    std::vector<std::filesystem::path> files;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error))
        if (entry.path().extension() == ".jsonl") files.push_back(entry.path());
    std::sort(files.rbegin(), files.rend());  // a name begins with its time
    if (files.size() > files_to_read) files.resize(files_to_read);
    for (const auto& file : files) {
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

}  // namespace tocuda
