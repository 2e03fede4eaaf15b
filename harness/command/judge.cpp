// tocuda, Apache-2.0.
// `tocuda judge FILE...`: recorded evidence judged again, by the judges of today.
#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "command/arguments.hpp"
#include "command/catalogue.hpp"
#include "command/complaint.hpp"
#include "command/paper.hpp"
#include "command/rejudging.hpp"
#include "command/verdict_table.hpp"
#include "lines/documents.hpp"
#include "record/sections.hpp"

namespace tocuda {
namespace {

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
        if (const auto* wrong = std::get_if<Unreadable>(&read)) return complain(usage, "tocuda: " + wrong->what);
        recordings.push_back(std::move(std::get<Recording>(read)));
        for (const auto& warning : recordings.back().warnings) complain(fmt::format("tocuda: {}", warning));
    }
    const auto catalogue = load_catalogue(worker_folders());
    std::vector<const Row*> recorded;
    for (const auto& recording : recordings)
        for (const auto& section : recording.sections)
            for (const auto& row : section.rows) recorded.push_back(&row.row);
    const auto judged = judge_again(catalogue, recorded, seconds, [](const Row& row) {
        complain(fmt::format("tocuda judge: no worker here knows {} {}: it stands as it was recorded", row.name, row.variant));
    });
    std::vector<Row> rows;
    for (const auto& one : judged) rows.push_back(one.is);
    if (rows.empty()) return complain(nothing_done, "tocuda judge: no scenario rows in " + files.front());
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
