// tocuda, Apache-2.0.
#include "execution/judge_runs.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "summary/row_summary.hpp"

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

RecordedRun recorded_run(const RunSections& sections) {
    const auto& last = *sections.back().section;
    RecordedRun run{last.run, {}, last.end ? last.end->status : "partial", {}, {}};
    std::vector<MeasurementRow> measured;
    for (const auto& [file, section] : sections) {
        if (std::find(run.files.begin(), run.files.end(), file->string()) == run.files.end())
            run.files.push_back(file->string());
        for (const auto& row : section->measurements) measured.push_back(row.row);
    }
    run.measured = measured_run(summaries(measured, last.run.gpus));
    return run;
}

}  // namespace tocuda
