// tocuda, Apache-2.0.
#include "execution/rejudging.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <string>
#include <utility>

#include "engine/engine.hpp"
#include "execution/judge_desk.hpp"
#include "process/time.hpp"
#include "request/selection.hpp"
#include "summary/row_summary.hpp"

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
