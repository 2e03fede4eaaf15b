// tocuda, Apache-2.0.
#include "command/compared_verdicts.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "command/verb.hpp"
#include "comparison_input/paired_rows.hpp"
#include "execution/rejudging.hpp"
#include "record/sections.hpp"
#include "request/catalogue.hpp"

namespace tocuda {
namespace {

using JudgedPlace = std::tuple<std::string, std::string, Device>;  // scenario, variant, device

std::set<std::string> versions_of(const ReadFiles& side) {
    std::set<std::string> versions;
    for (const auto& section : side.sections)
        if (!section.claims.empty())
            versions.insert(section.run.suite.commit.value_or("") + (section.run.suite.dirty ? ", with changes" : ""));
    return versions;
}

void take_verdicts(const Row& judged, const std::string& run, ReadFiles& side) {
    for (auto& section : side.sections) {
        if (section.run.run != run) continue;
        for (auto& seen : section.claims) {
            if (JudgedPlace(seen.scenario, seen.variant, seen.device) !=
                JudgedPlace(judged.name, judged.variant, judged.evidence.device))
                continue;
            const auto is = std::ranges::find(judged.claims, seen.claim, &ClaimVerdict::id);
            if (is != judged.claims.end()) seen.verdict = is->verdict;
        }
    }
}

// Returns whether each of the rows could be judged.
bool judge_side(const Catalogue& catalogue, const std::set<JudgedPlace>& differing, ReadFiles& side) {
    std::vector<Recording> recordings;
    for (const auto& file : side.files)
        if (auto read = read_recording(file)) recordings.push_back(*std::move(read));
    std::vector<const Row*> rows;
    std::vector<std::string> runs;
    for (const auto& recording : recordings)
        for (const auto& section : recording.sections)
            for (const auto& [line, row] : section.rows) {
                if (!differing.contains({row.name, row.variant, row.evidence.device})) continue;
                rows.push_back(&row);
                runs.push_back(section.run.run);
            }
    bool all = true;
    const auto judged = judge_again(catalogue, rows, 0, [](const Row&) {});
    for (std::size_t i = 0; i < judged.size(); ++i) {
        all = all && judged[i].asked;
        if (judged[i].asked) take_verdicts(judged[i].is, runs[i], side);
    }
    return all;
}

}  // namespace

void judge_again_what_differs(ReadFiles& before, ReadFiles& after) {
    auto versions = versions_of(before);
    versions.merge(versions_of(after));
    if (versions.size() < 2) return;
    const auto changes = claim_changes(before.sections, after.sections).verdicts;
    if (changes.empty()) return;
    std::set<JudgedPlace> differing;
    for (const auto& one : changes) differing.emplace(one.scenario, one.variant, one.device);
    const auto catalogue = load_catalogue(worker_folders(), true);
    const bool old_side = judge_side(catalogue, differing, before);
    if (judge_side(catalogue, differing, after) && old_side) return;
    complain(
        "tocuda: verdicts by different versions of tocuda differ, and not all could be judged again here: see "
        "`tocuda judge`");
}

}  // namespace tocuda
