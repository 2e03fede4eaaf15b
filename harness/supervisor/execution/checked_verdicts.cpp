// tocuda, Apache-2.0.
#include "execution/checked_verdicts.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "execution/rejudging.hpp"
#include "machine/suite.hpp"
#include "terminal/quantities.hpp"

namespace tocuda {
namespace {

constexpr std::size_t commit_digits = 12;

// Only the commit that judged the rows can be expected to give the same verdicts.
std::string why_not_judged_again(const RunLine& run, const Suite& here) {
    if (run.suite.dirty || here.dirty || !run.suite.commit || !here.commit)
        return "the tocuda that judged them, or this one, is of an unknown commit or has uncommitted changes";
    return *run.suite.commit == *here.commit
               ? ""
               : "a different commit of tocuda gave them: " + run.suite.commit->substr(0, commit_digits);
}

void compare_verdicts(const Judged& judged, int line, Verification& verification) {
    const auto& [was, is, asked, lacking] = judged;
    if (!asked) return;
    const auto claim_of = [](const Row& row, const std::string& id) {
        const auto found =
            std::find_if(row.claims.begin(), row.claims.end(), [&](const ClaimVerdict& one) { return one.id == id; });
        return found == row.claims.end() ? nullptr : &*found;
    };
    for (const auto& claim : is.claims) {
        const auto* recorded = claim_of(*was, claim.id);
        if (!recorded)
            verification.problems.push_back(
                {"claim " + claim.id + " has no verdict; its judge says " + std::string(word(claim.verdict)), line});
        else if (claim.verdict == Verdict::broken && recorded->verdict != Verdict::broken)
            verification.notes.push_back(
                fmt::format("line {}: claim {} could not be judged again: {}", line, claim.id, claim.because));
        else if (recorded->verdict != claim.verdict || recorded->expected != claim.expected)
            verification.problems.push_back(
                {fmt::format("claim {}: recorded {} (expected {}), but its judge says {} (expected {})", claim.id,
                             word(recorded->verdict), word(recorded->expected), word(claim.verdict),
                             word(claim.expected)),
                 line});
    }
    for (const auto& recorded : was->claims)
        if (!claim_of(is, recorded.id))
            verification.problems.push_back({"claim " + recorded.id + " does not belong to this scenario", line});
}

}  // namespace

void check_verdicts(const Recording& recording, const std::function<const Catalogue&()>& workers,
                    Verification& verification) {
    std::vector<Unavailable> ignored;
    const auto here = this_suite(ignored);
    std::vector<const RecordedRow*> rows;
    for (const auto& section : recording.sections) {
        if (section.rows.empty()) continue;
        const auto why = why_not_judged_again(section.run, here);
        if (!why.empty())
            verification.notes.push_back("the verdicts of run " + section.run.run.substr(0, 8) +
                                         " were not judged again: " + why);
        else
            for (const auto& row : section.rows) rows.push_back(&row);
    }
    if (rows.empty()) return;
    std::vector<const Row*> recorded;
    for (const auto* row : rows) recorded.push_back(&row->row);
    const auto judged = judge_again(workers(), recorded, 0, [&](const Row& row) {
        verification.notes.push_back("no worker has " + row.name + " " + row.variant +
                                     "; its verdicts were not judged again");
    });
    std::map<const Worker*, int> lacking;
    for (std::size_t i = 0; i < judged.size(); ++i) {
        compare_verdicts(judged[i], rows[i]->line, verification);
        if (judged[i].lacking) ++lacking[judged[i].lacking];
    }
    for (const auto& [worker, count] : lacking)
        verification.notes.push_back(fmt::format("the verdicts of {} were not judged again: {} {}",
                                                 counted(count, "row"), worker->name, worker->unmet));
    std::ranges::stable_sort(verification.problems, {}, &Problem::line);
}

}  // namespace tocuda
