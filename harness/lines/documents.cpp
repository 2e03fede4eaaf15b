// tocuda, Apache-2.0.
// The documents of list, show, run and judge.
#include "lines/documents.hpp"

#include "lines/benchmark_json.hpp"
#include "lines/json.hpp"
#include "lines/scenario_json.hpp"
#include "model/document.hpp"

namespace tocuda {
namespace {

using json::Json;

Json of_listed(const Listed& listed) {
    Json object = json::of_scenario(listed.scenario);
    object["family"] = family(listed.scenario);
    object["worker"] = listed.worker;
    for (auto& claim : object["claims"]) claim["source"] = source_of(claim["id"].get<std::string>());
    object["runnable"] = listed.runnable;
    object["because"] = listed.because;
    return object;
}

Json of_row(const Row& row) {
    auto claims = Json::array();
    for (const auto& claim : row.claims)
        claims.push_back({{"id", claim.id}, {"verdict", word(claim.verdict)}, {"expected", word(claim.expected)},
                          {"because", claim.because}});
    return {{"name", row.name}, {"variant", row.variant}, {"device", word(row.evidence.device)}, {"claims", claims},
            {"seconds", row.evidence.outcome.seconds}};
}

Json of_rows(const std::vector<Row>& rows) {
    auto list = Json::array();
    for (const auto& row : rows) list.push_back(of_row(row));
    return list;
}

}  // namespace

std::string list_document(const std::vector<Listed>& scenarios, const std::vector<ListedBenchmark>& benchmarks) {
    auto list = Json::array();
    for (const auto& listed : scenarios) list.push_back(of_listed(listed));
    auto measured = Json::array();
    for (const auto& listed : benchmarks) {
        measured.push_back(json::of_benchmark(listed.benchmark));
        measured.back()["worker"] = listed.worker;
        measured.back()["runnable"] = listed.runnable;
        measured.back()["because"] = listed.because;
    }
    return json::pretty({{"scenarios", list}, {"benchmarks", measured}});
}

std::string show_document(const std::vector<Shown>& scenarios) {
    auto list = Json::array();
    for (const auto& shown : scenarios) {
        list.push_back(of_listed(shown.listed));
        list.back()["last"] = of_rows(shown.last);
    }
    return json::pretty(list.size() == 1 ? list.front() : Json{{"scenarios", list}});
}

std::string run_document(const RunReport& report) {
    auto claims = Json::array();
    for (const auto& claim : report.tally.claims)
        claims.push_back({{"id", claim.id}, {"verdict", word(claim.verdict)}, {"expected", word(claim.expected)}});
    auto totals = Json::object();
    for (const auto verdict : verdict_words) {
        const auto found = report.tally.totals.find(*verdict_of(verdict));
        totals[std::string(verdict)] = found == report.tally.totals.end() ? 0 : found->second;
    }
    totals["unexpected"] = report.tally.unexpected;
    Json document = Json::object();
    if (report.run) document["run"] = *report.run;
    document["file"] = report.file;
    document["device"] = word(report.device);
    document["scenarios"] = of_rows(report.rows);
    document["claims"] = claims;
    document["totals"] = totals;
    return json::pretty(document);
}

}  // namespace tocuda
