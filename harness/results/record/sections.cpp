// tocuda, Apache-2.0.
#include "record/sections.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace tocuda {
namespace {

std::vector<SectionPlace> sections_once(const std::vector<Recording>& recordings) {
    std::vector<SectionPlace> places;
    std::set<std::string> seen;
    for (const auto& recording : recordings)
        for (const auto& section : recording.sections)
            if (seen.insert(section.digest).second) places.push_back({&recording.file, &section});
    return places;
}

// Follows `resumes` back to the first run that is available; also returns how many runs lie between. A damaged file may
// name runs in a circle.
std::pair<std::string, std::size_t> beginning_of(std::string run, const std::map<std::string, std::string>& resumes) {
    std::set<std::string> passed;
    for (auto next = resumes.find(run); next != resumes.end() && resumes.contains(next->second);
         next = resumes.find(run)) {
        if (!passed.insert(run).second) break;
        run = next->second;
    }
    return {run, passed.size()};
}

struct Collector : RecordVisitor {
    explicit Collector(const std::filesystem::path& file) : recording{file, {}, {}} {}

    void run(const RunLine& run, const LinePlace&) override {
        recording.sections.push_back({run, {}, {}, std::nullopt});
    }
    void measurement(const MeasurementRow& row, const LinePlace& place) override {
        recording.sections.back().measurements.push_back({place.line, row});
    }
    void scenario(const Row& row, const LinePlace& place) override {
        recording.sections.back().rows.push_back({place.line, row});
    }
    void end(const SectionEnd& end) override {
        recording.sections.back().end = end.end;
        recording.sections.back().digest = end.whole;
        if (end.altered()) recording.sections.back().altered_at = end.line;
    }
    void warning(int line, const std::string& what) override {
        recording.warnings.push_back(at_line(recording.file, line, what));
    }

    Recording recording;
};

}  // namespace

std::vector<RunSections> runs_of(const std::vector<Recording>& recordings) {
    const auto places = sections_once(recordings);
    std::map<std::string, std::string> resumes;
    for (const auto& [file, section] : places) resumes.emplace(section->run.run, section->run.resumes.value_or(""));
    std::vector<RunSections> runs;
    std::map<std::string, std::size_t> number;
    for (const auto& place : places) {
        const auto [found, is_new] =
            number.try_emplace(beginning_of(place.section->run.run, resumes).first, runs.size());
        if (is_new) runs.emplace_back();
        runs[found->second].push_back(place);
    }
    // Two sections may have begun in the same second.
    const auto turn = [&](const SectionPlace& place) {
        return std::pair(beginning_of(place.section->run.run, resumes).second, place.section->run.time);
    };
    for (auto& run : runs) std::ranges::stable_sort(run, {}, turn);
    return runs;
}

void drop_altered(Recording& recording) {
    for (const auto& section : recording.sections)
        if (section.altered_at > 0)
            recording.warnings.push_back(at_line(recording.file, section.altered_at, skipped_as_altered));
    std::erase_if(recording.sections, [](const Section& section) { return section.altered_at > 0; });
}

Expected<Recording> read_recording(const std::filesystem::path& file) {
    Collector collector(file);
    if (const auto read = read_record(file, Reading::lenient, collector); !read) return problem(read.error());
    return std::move(collector.recording);
}

}  // namespace tocuda
