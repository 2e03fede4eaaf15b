// tocuda, Apache-2.0.
// Files to gathered sections.
#include "command/compared_files.hpp"

#include <algorithm>

#include "record/sections.hpp"

namespace tocuda {
namespace {

namespace fs = std::filesystem;

// The files of a place, or what is wrong with it.
std::string add_files(const std::string& place, std::vector<fs::path>& files) {
    std::error_code failed;
    if (!fs::is_directory(place, failed)) {
        files.emplace_back(place);
        return "";
    }
    std::vector<fs::path> found;
    for (fs::recursive_directory_iterator entry(place, failed), end; !failed && entry != end; entry.increment(failed))
        if (entry->path().extension() == ".jsonl") found.push_back(entry->path());
    if (failed) return place + ": " + failed.message();
    if (found.empty()) return place + ": a folder without any result file (*.jsonl)";
    std::sort(found.begin(), found.end());
    files.insert(files.end(), found.begin(), found.end());
    return "";
}

}  // namespace

ReadFiles read_files(const std::vector<std::string>& places, RowNames& names) {
    ReadFiles all;
    std::vector<fs::path> files;
    for (const auto& place : places)
        if (all.wrong = add_files(place, files); !all.wrong.empty()) return all;
    Gathering gathering(names);
    for (const auto& file : files) {
        const auto read = read_recording(file);
        if (const auto* unreadable = std::get_if<Unreadable>(&read)) {
            all.wrong = unreadable->what;
            return all;
        }
        const auto& recording = std::get<Recording>(read);
        all.warnings.insert(all.warnings.end(), recording.warnings.begin(), recording.warnings.end());
        for (const auto& section : recording.sections) {
            gathering.begin(section.run);
            for (const auto& one : section.measurements) gathering.add(one.row);
            for (const auto& one : section.rows) gathering.add(one.row);
            gathering.end(section.end ? section.end->sha256 : "", section.end.has_value());
        }
    }
    all.files = static_cast<int>(files.size());
    all.sections = gathering.finish(all.warnings);
    return all;
}

}  // namespace tocuda
