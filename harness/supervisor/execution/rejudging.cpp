// tocuda, Apache-2.0.
#include "execution/rejudging.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <deque>
#include <map>
#include <string>
#include <utility>

#include "engine/engine.hpp"
#include "execution/judge_desk.hpp"
#include "machine/suite.hpp"
#include "process/child.hpp"
#include "request/selection.hpp"
#include "summary/row_summary.hpp"
#include "terminal/quantities.hpp"

namespace tocuda {
namespace {

const Variant* variant_of(const Scenario& scenario, const std::string& name) {
    const auto found = std::ranges::find_if(scenario.variants, [&](const Variant& one) { return one.name == name; });
    return found == scenario.variants.end() ? nullptr : &*found;
}

// The scenario and variant of a row; null if no worker has them.
struct Known {
    const Selected* what = nullptr;
    const Variant* variant = nullptr;
};

Known find_known(const std::vector<Selected>& selected, const Row& row) {
    for (const auto& one : selected)
        if (one.scenario->name == row.name) return {&one, variant_of(*one.scenario, row.variant)};
    return {};
}

// The judges alone: nothing is observed.
class Judging : public Source {
public:
    explicit Judging(JudgeDesk& judge_desk) : desk(judge_desk) {}

    std::vector<Job> next() override { return {}; }
    void look() override { desk.look_at_the_clock(now()); }
    std::string progress() const override { return "judging"; }

private:
    JudgeDesk& desk;
};

}  // namespace

std::vector<Judged> judge_again(const Catalogue& catalogue, const std::vector<const Row*>& recorded, double seconds,
                                const std::function<void(const Row&)>& unknown) {
    std::vector<Judged> rows;
    for (const auto* row : recorded) rows.push_back({row, *row});
    // Rows of one name and variant go to one judge and come back in order.
    std::map<std::pair<std::string, std::string>, std::deque<Judged*>> waiting;
    Judged* at_hand = nullptr;  // the row being submitted: the desk may answer at once
    Engine engine(EngineSettings{});
    JudgeDesk desk(engine.children(), seconds, [&](Row row) {
        auto& queue = waiting[{row.name, row.variant}];
        auto* const mine = at_hand ? std::exchange(at_hand, nullptr) : queue.front();
        if (!queue.empty() && queue.front() == mine) queue.pop_front();
        mine->is = std::move(row);
    });
    desk.look_at_the_clock(now());
    const auto selected = all_scenarios(catalogue);
    for (auto& row : rows) {
        if (row.was->evidence.outcome.ended == "not_started") continue;
        const auto [known, variant] = find_known(selected, *row.was);
        if (!variant) {
            unknown(*row.was);
            continue;
        }
        if (!known->worker->unmet.empty()) {
            row.lacking = known->worker;
            continue;
        }
        row.asked = true;
        auto fresh = *row.was;
        fresh.claims.clear();
        at_hand = &row;
        desk.submit(*known->worker, *known->scenario, *variant, std::move(fresh));
        if (std::exchange(at_hand, nullptr)) waiting[{row.was->name, row.was->variant}].push_back(&row);
    }
    desk.close();
    Judging judging(desk);
    engine.run(judging);
    return rows;
}

JudgedToday judged_today(const Catalogue& catalogue, const std::vector<Row>& recorded, const Suite& by) {
    std::vector<Unavailable> ignored;
    const auto here = this_suite(ignored);
    if (recorded.empty() || (here.commit == by.commit && !here.dirty && !by.dirty)) return {recorded};
    std::vector<const Row*> rows;
    for (const auto& row : recorded) rows.push_back(&row);
    JudgedToday today;
    for (auto& judged : judge_again(catalogue, rows, 0, [](const Row&) {})) {
        today.all = today.all && (judged.asked || judged.was->evidence.outcome.ended == "not_started");
        today.rows.push_back(std::move(judged.is));
    }
    return today;
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
