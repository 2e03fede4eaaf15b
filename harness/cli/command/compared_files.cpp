// tocuda, Apache-2.0.
#include "command/compared_files.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "record/record_reader.hpp"
#include "record/sections.hpp"
#include "terminal/complaint.hpp"

namespace tocuda {
namespace {

namespace fs = std::filesystem;

std::string skipped_words(const std::string& why) {
    constexpr auto what = "not a result file";
    return why + "; skipped" + (why.find(what) == std::string::npos ? std::string(": ") + what : "");
}

bool was_given(const std::string& file, const std::vector<std::string>& given) {
    return std::ranges::find(given, file) != given.end();
}

// Adds the files of a place. Returns what is wrong with it; empty if nothing is.
std::string add_files(const std::string& place, std::vector<std::string>& files) {
    std::error_code failed;
    if (!fs::is_directory(place, failed)) {
        files.emplace_back(place);
        return "";
    }
    std::vector<fs::path> found;
    for (fs::recursive_directory_iterator entry(place, failed), end; !failed && entry != end; entry.increment(failed))
        if (entry->path().extension() == ".jsonl" && !entry->is_directory(failed)) found.push_back(entry->path());
    if (failed) return place + ": " + failed.message();
    if (found.empty()) return place + ": no result files (*.jsonl) in this folder";
    std::sort(found.begin(), found.end());
    for (const auto& file : found) files.push_back(file.string());
    return "";
}

// Passes each line to the gathering without keeping it.
struct GatheringVisitor : RecordVisitor {
    GatheringVisitor(Gathering& sections, std::vector<std::string>& said) : gathering(sections), warnings(said) {}

    void run(const RunLine& run, const LinePlace&) override {
        gathering.begin(run);
        is_result_file = true;
        in_section = true;
    }
    void measurement(const MeasurementRow& row, const LinePlace&) override { gathering.add(row); }
    void scenario(const Row& row, const LinePlace&) override { gathering.add(row); }
    void end(const SectionEnd& end) override {
        in_section = false;
        if (!end.altered()) return gathering.end(end.sha256, end.end.has_value());
        gathering.forget();
        ++altered;
        warnings.push_back(at_line(file, end.line, skipped_as_altered));
    }
    void warning(int line, const std::string& what) override { warnings.push_back(at_line(file, line, what)); }

    // One damaged file of a folder must not hide what the others say.
    void skip_rest(const std::string& why) {
        if (in_section) gathering.forget();
        altered += in_section ? 1 : 0;
        warnings.push_back(why + "; skipped from there on");
    }

    void start(const fs::path& begun) {
        file = begun;
        is_result_file = false;
        in_section = false;
    }

    fs::path file{};
    bool is_result_file = false;
    bool in_section = false;
    int altered = 0;
    Gathering& gathering;
    std::vector<std::string>& warnings;
};

}  // namespace

Expected<std::vector<std::string>> files_at(const std::vector<std::string>& places) {
    std::vector<std::string> files;
    for (const auto& place : places)
        if (const auto wrong = add_files(place, files); !wrong.empty()) return problem(wrong);
    return files;
}

std::string beginning_of(const std::string& file, std::size_t bytes) {
    std::error_code failed;
    if (!fs::is_regular_file(file, failed)) return "";  // opening a pipe would wait for who writes to it
    std::string begin(bytes, '\0');
    std::ifstream stream(file);
    stream.read(begin.data(), std::ssize(begin));
    begin.resize(static_cast<std::size_t>(stream.gcount()));
    return begin;
}

bool is_skipped(const std::string& file, const std::vector<std::string>& given) {
    constexpr std::string_view first = R"({"kind":"run")";
    if (beginning_of(file, first.size()) == first || was_given(file, given)) return false;
    complain(fmt::format("tocuda: {}: skipped: not a result file", file));
    return true;
}

Expected<std::vector<Recording>> read_recordings(std::vector<std::string>& files,
                                                 const std::vector<std::string>& given) {
    std::vector<Recording> recordings;
    std::vector<std::string> unreadable;
    for (const auto& file : files) {
        auto read = read_recording(file);
        if (!read && was_given(file, given)) return problem(read.error());
        if (read) recordings.push_back(*std::move(read));
        else unreadable.push_back(file);
        if (!read) complain("tocuda: " + read.error().what + "; file skipped");
    }
    std::erase_if(files, [&](const std::string& file) { return was_given(file, unreadable); });
    return recordings;
}

ReadFiles read_files(const std::vector<std::string>& places, RowNames& names) {
    ReadFiles all;
    const auto files = files_at(places);
    if (!files) {
        all.wrong = files.error().what;
        return all;
    }
    Gathering gathering(names);
    GatheringVisitor visitor(gathering, all.warnings);
    for (const auto& file : *files) {
        visitor.start(file);
        const auto read = read_record(file, Reading::strict, visitor);
        if (!read && was_given(file, places)) {
            all.wrong = read.error().what;
            return all;
        }
        std::error_code failed;
        if (!read && visitor.is_result_file) visitor.skip_rest(read.error().what);
        if (!read && !visitor.is_result_file) all.warnings.push_back(skipped_words(read.error().what));
        else all.files.push_back(fs::weakly_canonical(file, failed).string());
    }
    if (all.files.empty() && all.wrong.empty()) all.wrong = places.front() + ": no result files in this folder";
    all.altered = visitor.altered;
    all.sections = gathering.finish(all.warnings);
    return all;
}

}  // namespace tocuda
