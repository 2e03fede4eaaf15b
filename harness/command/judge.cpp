// tocuda, Apache-2.0.
// `tocuda judge FILE...`: recorded evidence judged again, by the judges of today.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <map>
#include <utility>

#include "command/arguments.hpp"
#include "command/complaint.hpp"
#include "command/judge_desk.hpp"
#include "command/paper.hpp"
#include "command/selection.hpp"
#include "command/verdict_table.hpp"
#include "lines/documents.hpp"
#include "record/sections.hpp"

namespace tocuda {
namespace {

// A recorded row, and what today's judges say of it.
struct Judged {
    const Row* was;
    Row is;
    bool asked = false;  // otherwise it stands as it was recorded
};

std::vector<Judged> rows_of(const std::vector<Recording>& recordings) {
    std::vector<Judged> rows;
    for (const auto& recording : recordings)
        for (const auto& section : recording.sections)
            for (const auto& recorded : section.rows) rows.push_back({&recorded.row, recorded.row});
    return rows;
}

const Variant* variant_of(const Scenario& scenario, const std::string& name) {
    const auto found = std::find_if(scenario.variants.begin(), scenario.variants.end(), [&](const Variant& one) { return one.name == name; });
    return found == scenario.variants.end() ? nullptr : &*found;
}

// Who judges a row, or nobody.
struct Known {
    const Selected* what = nullptr;
    const Variant* variant = nullptr;
};

Known find_known(const std::vector<Selected>& selected, const Row& row) {
    for (const auto& one : selected)
        if (one.scenario->name == row.name) return {&one, variant_of(*one.scenario, row.variant)};
    return {};
}

double seconds_now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// Judges the rows of all files, and leaves what was never run, or what nobody here knows, as it stands.
std::vector<Judged> judge_again(const Catalogue& catalogue, const std::vector<Recording>& recordings, double seconds) {
    auto rows = rows_of(recordings);
    // Rows of one name and variant go to one judge and come back in their order.
    std::map<std::pair<std::string, std::string>, std::deque<Judged*>> waiting;
    Judged* at_hand = nullptr;  // given to the desk, which may answer at once
    Supervisor supervisor;
    JudgeDesk desk(supervisor, seconds, [&](Row row) {
        auto& queue = waiting[{row.name, row.variant}];
        auto* const mine = at_hand ? std::exchange(at_hand, nullptr) : queue.front();
        if (!queue.empty() && queue.front() == mine) queue.pop_front();
        mine->is = std::move(row);
    });
    desk.look_at_the_clock(seconds_now());
    const auto selected = std::get<std::vector<Selected>>(select(catalogue, {}));
    for (auto& row : rows) {
        if (row.was->evidence.outcome.ended == "not_started") continue;
        const auto [known, variant] = find_known(selected, *row.was);
        if (!variant) {
            complain(fmt::format("tocuda judge: no worker here knows {} {}: it stands as it was recorded", row.was->name, row.was->variant));
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
    while (supervisor.running() > 0) {
        supervisor.step(0.2);
        desk.look_at_the_clock(seconds_now());
    }
    return rows;
}

std::string changed_verdicts(const std::vector<Judged>& judged) {
    std::string text;
    for (const auto& [was, is, asked] : judged) {
        if (!asked) continue;
        for (const auto& claim : is.claims) {
            const auto before = std::find_if(was->claims.begin(), was->claims.end(), [&](const ClaimVerdict& one) { return one.id == claim.id; });
            if (before != was->claims.end() && before->verdict == claim.verdict) continue;
            const auto old = before == was->claims.end() ? "not judged" : word(before->verdict);
            text += fmt::format("{} {} {}: was {}, is {}\n", is.name, is.variant, claim.id, old, word(claim.verdict));
        }
    }
    return text;
}

}  // namespace

int judge_verb(const Words& words) {
    Arguments arguments("judge", "Judge recorded evidence again.", {"results/local/*.jsonl", "FILE --json"});
    std::vector<std::string> files;
    bool as_json = false;
    arguments.option("FILE", files, "result files", Arguments::Presence::required);
    double seconds = 0;
    arguments.option("--timeout", seconds, "a deadline in seconds for each row", "S");
    arguments.flag("--json", as_json, "one document on stdout");
    if (const auto code = arguments.parse(words)) return *code;

    std::vector<Recording> recordings;
    for (const auto& file : files) {
        auto read = read_recording(file);
        if (const auto* wrong = std::get_if<Unreadable>(&read)) {
            complain(fmt::format("tocuda: {}", wrong->what));
            return usage;
        }
        recordings.push_back(std::move(std::get<Recording>(read)));
        for (const auto& warning : recordings.back().warnings) complain(fmt::format("tocuda: {}", warning));
    }
    const auto catalogue = load_catalogue(worker_folders());
    const auto judged = judge_again(catalogue, recordings, seconds);
    std::vector<Row> rows;
    for (const auto& one : judged) rows.push_back(one.is);
    if (rows.empty()) {
        complain(fmt::format("tocuda judge: no scenario rows in {}", files.front()));
        return nothing_done;
    }
    const auto totals = tally(rows);
    const auto& head = recordings.front().sections.front().run;
    if (as_json) {
        fmt::print("{}\n", run_document({head.run, files.front(), head.device, rows, totals}));
    } else {
        const auto paper = paper_for_stdout();
        fmt::print("{}\n{}{}{}\n", verdict_table(rows, paper), unexpected_rows(rows, paper), changed_verdicts(judged), totals_line(totals));
    }
    return totals.unexpected > 0 ? finding : as_expected;
}

}  // namespace tocuda
