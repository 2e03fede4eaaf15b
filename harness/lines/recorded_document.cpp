// tocuda, Apache-2.0.
// The documents of run, bench and judge.
#include <algorithm>

#include "lines/recorded_json.hpp"
#include "model/tally.hpp"

namespace tocuda {
namespace {

using json::Json;
using Runs = std::vector<RecordedRun>;

Json of_claims(const Tally& tally) {
    auto claims = Json::array();
    for (const auto& claim : tally.claims)
        claims.push_back({{"id", claim.id},
                          {"verdict", word(claim.verdict)},
                          {"expected", word(claim.expected)},
                          {"unexpected_rows", claim.unexpected}});
    return claims;
}

Json of_totals(const Tally& tally) {
    auto totals = Json::object();
    for (const auto verdict : verdict_words) {
        const auto found = tally.totals.find(*verdict_of(verdict));
        totals[std::string(verdict)] = found == tally.totals.end() ? 0 : found->second;
    }
    totals["unexpected"] = tally.unexpected;
    return totals;
}

void put_verdicts(Json& object, const std::vector<Row>& scenarios) {
    const auto totals = tally(scenarios);
    object["claims"] = of_claims(totals);
    object["totals"] = of_totals(totals);
}

Json of_runs(const Runs& runs) {
    auto list = Json::array();
    for (const auto& run : runs) {
        list.push_back({{"run", run.about.run},
                        {"files", run.files},
                        {"status", run.status},
                        {"device", word(run.about.device)},
                        {"about", json::about(run.about)}});
        if (!run.scenarios.empty()) put_verdicts(list.back(), run.scenarios);
    }
    return list;
}

Json head_of(const Runs& runs) {
    const auto& [about, files, status, measured, scenarios] = runs.front();
    return {{"run", about.run},
            {"file", files.empty() ? "" : files.front()},
            {"device", word(about.device)},
            {"about", json::about(about)},
            {"runs", of_runs(runs)}};
}

void put_scenarios(Json& document, const Runs& runs) {
    std::vector<Row> all;
    document["scenarios"] = Json::array();
    for (const auto& run : runs)
        for (const auto& row : run.scenarios) {
            document["scenarios"].push_back(json::of_row(row));
            document["scenarios"].back()["run"] = run.about.run;
            all.push_back(row);
        }
    put_verdicts(document, all);
}

}  // namespace

Json json::of_row(const Row& row) {
    auto claims = Json::array();
    for (const auto& claim : row.claims)
        claims.push_back({{"id", claim.id},
                          {"verdict", word(claim.verdict)},
                          {"expected", word(claim.expected)},
                          {"unexpected", claim.unexpected()},
                          {"because", claim.because}});
    return {{"name", row.name},
            {"variant", row.variant},
            {"device", word(row.evidence.device)},
            {"claims", claims},
            {"seconds", row.evidence.outcome.seconds}};
}

std::string run_document(const RecordedRun& run) {
    auto document = head_of({run});
    put_scenarios(document, {run});
    return json::pretty(document);
}

std::string bench_document(const RecordedRun& run) {
    auto document = head_of({run});
    json::put_measured(document, {run});
    return json::pretty(document);
}

std::string judge_document(const Runs& runs) {
    const auto any = [&](auto holds) { return std::any_of(runs.begin(), runs.end(), holds); };
    auto document = head_of(runs);
    if (any([](const RecordedRun& run) { return !run.measured.rows.empty(); })) json::put_measured(document, runs);
    if (any([](const RecordedRun& run) { return !run.scenarios.empty(); })) put_scenarios(document, runs);
    return json::pretty(document);
}

}  // namespace tocuda
