// tocuda, Apache-2.0.
#include "command/kept_recordings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <string_view>
#include <tuple>

#include "engine/engine.hpp"
#include "execution/rejudging.hpp"
#include "json_lines/lines.hpp"
#include "json_lines/profile_json.hpp"
#include "model/words.hpp"
#include "record/sections.hpp"
#include "summary/published_band.hpp"
#include "terminal/quantities.hpp"

namespace tocuda {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> places() {
    const auto programs = program_folder();
    std::vector<fs::path> all{"results", programs / "../../results"};
    // An installed tree, and a wheel in lib/python3.x/site-packages.
    for (const auto* up : {"../..", "../../../.."}) all.push_back(programs / up / "share/tocuda/results");
    return all;
}

// Returns the recordings in a folder, without copies of what was read as NEW.
std::vector<KeptRecording> recordings_in(const fs::path& folder, const std::vector<GatheredSection>& except) {
    std::vector<KeptRecording> kept;
    std::error_code failed;
    for (fs::recursive_directory_iterator entry(folder, failed), end; !failed && entry != end;
         entry.increment(failed)) {
        if (entry->path() == folder / "local") entry.disable_recursion_pending();
        if (entry->path().extension() != ".jsonl") continue;
        std::ifstream in(entry->path());
        std::string line;
        std::getline(in, line);
        const auto run = run_line(line);
        const bool is_new = run && std::none_of(except.begin(), except.end(), [&](const GatheredSection& section) {
                                return section.run.run == run->run;
                            });
        if (is_new) kept.push_back({entry->path().string(), *run});
    }
    return kept;
}

// The ids of a file's rows. Files that cannot be read have none.
std::set<std::string> ids_in(const fs::path& file) {
    std::ifstream in(file);
    constexpr std::string_view before = "\"id\":\"";
    std::set<std::string> ids;
    for (std::string line; std::getline(in, line);)
        if (const auto at = line.find(before); at != std::string::npos) {
            const auto from = at + before.size();
            ids.insert(line.substr(from, line.find('"', from) - from));
        }
    return ids;
}

// Verdicts have no ids. Returns whether NEW has measurements.
bool find_rows_in_common(const ReadFiles& read, std::vector<KeptRecording>& kept) {
    std::set<std::string> ours;
    for (const auto& file : read.files) ours.merge(ids_in(file));
    const auto models = models_of(read.sections.back().run);
    for (auto& one : kept)
        if (models_of(one.run) == models)
            std::ranges::set_intersection(ours, ids_in(one.file), std::inserter(one.common, one.common.end()));
    return !ours.empty();
}

// "simulated GPU (4 files)"
std::string what_there_is(const std::vector<KeptRecording>& kept) {
    std::map<std::string, int> files;
    for (const auto& one : kept) ++files[models_of(one.run)];
    return joined(files, ", ", [](const auto& one) { return one.first + " (" + counted(one.second, "file") + ")"; });
}

// All recordings of the first place that has any.
struct Kept {
    std::vector<std::string> looked_in{};  // the last is theirs
    std::vector<KeptRecording> recordings{};
};

Kept all_kept(const std::vector<GatheredSection>& except) {
    Kept kept;
    for (const auto& place : places()) {
        std::error_code failed;
        const auto folder = fs::weakly_canonical(place, failed).string();
        if (std::ranges::find(kept.looked_in, folder) != kept.looked_in.end()) continue;
        kept.looked_in.push_back(folder);
        kept.recordings = recordings_in(folder, except);
        if (!kept.recordings.empty()) break;
    }
    return kept;
}

std::vector<RecordedRun> real_runs(const std::vector<std::string>& files) {
    std::vector<Recording> recordings;
    for (const auto& file : files)
        if (auto read = read_recording(file)) {
            drop_altered(*read);
            recordings.push_back(*std::move(read));
        }
    std::vector<RecordedRun> runs;
    for (const auto& sections : runs_of(recordings))
        if (auto run = recorded_run(sections); run.about.device == Device::real) runs.push_back(std::move(run));
    return runs;
}

std::set<fs::path> kept_folders() {
    std::set<fs::path> folders;
    for (const auto& one : all_kept({}).recordings) folders.insert(fs::path(one.file).parent_path());
    return folders;
}

Device device_of(const Row& row) { return row.evidence.device; }
Device device_of(const RowSummary& row) { return row.device; }

bool any_real(const auto& rows) {
    return std::ranges::any_of(rows, [](const auto& row) { return device_of(row) == Device::real; });
}

// The newest that is kept; of a real GPU if there is one.
template <class Find>
auto newest_kept(const Find& find, const std::string& name) {
    decltype(find(fs::path(), name)) best;
    const auto rank = [](const auto& one) {
        return std::tuple(!one.rows.empty(), any_real(one.rows), one.file.filename());
    };
    for (const auto& kept : kept_folders())
        if (auto found = find(kept, name); rank(best) < rank(found)) best = std::move(found);
    return best;
}

}  // namespace

std::vector<LastSeen> recorded_results(const std::string& scenario) {
    std::map<std::string, LastSeen> newest;  // by version
    for (const auto& folder : kept_folders()) {
        auto seen = last_seen(folder, scenario);
        if (seen.rows.empty()) continue;
        auto& best = newest[seen.libtorch];
        if (best.file.filename() < seen.file.filename()) best = std::move(seen);  // names begin with the time
    }
    std::vector<LastSeen> results;
    for (auto& [version, seen] : newest) results.push_back(std::move(seen));
    return results;
}

LastSeen last_seen_or_kept(const std::string& folder, const std::string& scenario) {
    auto here = last_seen(folder, scenario);
    auto kept = here.rows.empty() ? newest_kept(last_seen, scenario) : LastSeen{};
    return kept.rows.empty() ? here : kept;
}

LastMeasured last_measured_or_kept(const std::string& folder, const std::string& benchmark) {
    auto here = last_measured(folder, benchmark);
    const bool simulated =
        std::ranges::all_of(here.rows, [](const RowSummary& row) { return row.device == Device::simulated; });
    if (!simulated) return here;
    auto kept = newest_kept(last_measured, benchmark);
    if (kept.rows.empty() || (!here.rows.empty() && !any_real(kept.rows))) return here;
    if (!here.rows.empty())
        kept.doubts.push_back(here.file.string() + " is of SIMULATED GPUs; `tocuda judge` prints it");
    return kept;
}

OrExit<Normal> recorded_normal(const ReadFiles& read) {
    if (read.sections.empty()) return refuse(nothing_done, "nothing can be compared");
    const auto& run = read.sections.back().run;
    if (run.gpus.empty() && run.imported)
        return refuse(nothing_done, "NEW names no GPU; import it again with --gpu NAME, or give OLD and NEW");
    const auto nothing_recorded = "besides NEW, nothing is recorded of " + models_of(run);
    auto [looked_in, kept] = all_kept(read.sections);
    const bool measures = find_rows_in_common(read, kept);
    if (kept.empty())
        return refuse(nothing_done, fmt::format("{}: no recordings in {}; give OLD and NEW to compare other files",
                                                nothing_recorded, fmt::join(looked_in, ", ")));
    auto normal = normal_for(run, kept);
    const auto has_its_rows = [&](const KeptRecording& one) {
        return !one.common.empty() && std::ranges::find(normal.files, one.file) != normal.files.end();
    };
    if (!normal.files.empty() && (!measures || std::ranges::any_of(kept, has_its_rows))) return normal;
    if (!normal.files.empty())
        return refuse(nothing_done,
                      "no other recording of " + models_of(run) + " has these rows; NEW itself does not count");
    return refuse(nothing_done, fmt::format("{}; {} has {}; give OLD and NEW to compare other files", nothing_recorded,
                                            looked_in.back(), what_there_is(kept)));
}

Expected<std::vector<std::vector<HeldRow>>> held_rows_of(const std::vector<std::string>& files) {
    std::vector<std::vector<HeldRow>> held;
    for (const auto& place : places()) {
        std::ifstream in(place / "published/numbers.json");
        if (!in) continue;
        const auto published = published_numbers(std::string(std::istreambuf_iterator(in), {}));
        if (!published) return problem((place / "published/numbers.json").string() + ": " + published.error().what);
        auto runs = real_runs(files);
        std::ranges::sort(runs, std::greater{}, [](const RecordedRun& run) { return run.about.time; });
        std::set<std::string> models;
        for (const auto& run : runs)
            if (auto rows = held_against(*published, run.about, run.measured.rows);
                !rows.empty() && models.insert(rows.front().model).second)
                held.push_back(std::move(rows));
        break;
    }
    return held;
}

}  // namespace tocuda
