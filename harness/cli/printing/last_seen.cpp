// tocuda, Apache-2.0.
#include "printing/last_seen.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "model/words.hpp"
#include "record/verification.hpp"
#include "summary/row_summary.hpp"

namespace tocuda {
namespace {

constexpr std::size_t files_to_read = 30;

// Adds what is wrong with the file if it does not verify.
void add_doubt(const std::filesystem::path& file, std::vector<std::string>& doubts) {
    const auto verified = verify_file(file);
    if (!verified) return doubts.push_back(verified.error().what);
    if (verified->good()) return;
    const auto& [what, line] = verified->problems.front();
    doubts.push_back(at_line(file, line, what) + ": the file does not verify; `tocuda verify` lists what is wrong");
}

// Of the last row that suits.
std::string why_without_value(const Recording& recording, const auto& suits) {
    std::string why;
    for (const auto& section : recording.sections)
        for (const auto& one : section.measurements)
            if (suits(one)) why = std::string(word(one.row.samples.status)) + ": " + one.row.samples.check;
    return why;
}

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

bool is_named(const auto& row, const std::string& name) { return row.benchmark == name || row.id.starts_with(name); }

// Summarised beside all others of the file, as `judge` does: how many rows a comparison would judge is part of what a
// row says.
std::vector<RowSummary> rows_of(const Recording& recording, const std::string& name, bool only_real) {
    std::vector<MeasurementRow> measured;
    for (const auto& section : recording.sections)
        for (const auto& one : section.measurements) measured.push_back(one.row);
    auto rows = summaries(measured, recording.sections.back().run.gpus);
    std::erase_if(rows, [&](const RowSummary& row) {
        return !is_named(row, name) || (only_real && row.device == Device::simulated);
    });
    return rows;
}

std::string gpus_of(const RunLine& run) {
    std::set<std::string> models;
    for (const auto& gpu : run.gpus) models.insert(gpu.name.value_or("unnamed GPU"));
    auto text = joined(models);
    return text.empty() ? "no GPU" : text;
}

}  // namespace

NewestRecording newest_recording(const std::filesystem::path& folder,
                                 const std::function<bool(const Section&)>& suits) {
    NewestRecording newest;
    for (const auto& file : newest_files(folder)) {
        auto recording = read_recording(file);
        if (!recording) newest.doubts.push_back(recording.error().what + "; skipped");
        if (!recording || std::ranges::none_of(recording->sections, suits)) continue;
        newest.recording = *std::move(recording);
        break;
    }
    return newest;
}

LastSeen last_seen(const std::filesystem::path& folder, const std::string& scenario) {
    const auto is_of_it = [&](const RecordedRow& row) { return row.row.name == scenario; };
    auto [recording, doubts] = newest_recording(folder, [&](const Section& section) {
        return std::any_of(section.rows.begin(), section.rows.end(), is_of_it);
    });
    LastSeen found{.folder = folder, .doubts = std::move(doubts)};
    if (!recording) return found;
    add_doubt(recording->file, found.doubts);
    found.file = recording->file;
    found.machine = gpus_of(recording->sections.back().run);
    found.suite = recording->sections.back().run.suite;
    found.libtorch = minor_version(recording->sections.back().run.libtorch.version.value_or(""));
    for (const auto& section : recording->sections)
        for (const auto& row : section.rows)
            if (is_of_it(row)) found.rows.push_back(row.row);
    return found;
}

LastMeasured last_measured(const std::filesystem::path& folder, const std::string& name) {
    const auto is_of_it = [&](const RecordedMeasurement& one) { return is_named(one.row, name); };
    const auto newest = [&](const auto& suits) {
        return newest_recording(
            folder, [&](const Section& section) { return std::ranges::any_of(section.measurements, suits); });
    };
    auto [recording, doubts] = newest(is_of_it);
    if (!recording) return {.doubts = std::move(doubts)};
    const auto has_value = [&](const RecordedMeasurement& one) {
        return is_of_it(one) && one.row.samples.status == Status::ok;
    };
    const auto has_real_value = [&](const RecordedMeasurement& one) {
        return has_value(one) && one.row.device != Device::simulated;
    };
    auto measured = newest(has_real_value).recording;
    const bool real = measured.has_value();
    if (!real) measured = newest(has_value).recording;
    if (measured && measured->file != recording->file) {
        const bool any = std::ranges::any_of(recording->sections, [&](const Section& section) {
            return std::ranges::any_of(section.measurements, has_value);
        });
        doubts.push_back(recording->file.filename().string() + " is newer, but " +
                         (any ? "of SIMULATED GPUs; `tocuda judge` prints it"
                              : "has no value: " + why_without_value(*recording, is_of_it)));
        recording = std::move(measured);
    }
    add_doubt(recording->file, doubts);
    const auto& run = recording->sections.back().run;
    return {recording->file, rows_of(*recording, name, real), std::move(doubts), gpus_of(run)};
}

}  // namespace tocuda
