// tocuda, Apache-2.0.
// The documents of list, show, run and judge.
#include "lines/documents.hpp"

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

Json of_benchmark(const Benchmark& benchmark) {
    auto parameters = Json::object();
    for (const auto& [name, values] : benchmark.parameters) parameters[name] = json::from_value(values);
    return {{"name", benchmark.name}, {"summary", benchmark.summary}, {"clock", word(benchmark.clock)},
            {"parameters", parameters}, {"needs", json::of_needs(benchmark.needs)}};
}

std::string pretty(const Json& document) { return document.dump(2, ' ', false, Json::error_handler_t::replace); }

}  // namespace

std::string list_document(const std::vector<Listed>& scenarios, const std::vector<Benchmark>& benchmarks) {
    auto list = Json::array();
    for (const auto& listed : scenarios) list.push_back(of_listed(listed));
    auto measured = Json::array();
    for (const auto& benchmark : benchmarks) measured.push_back(of_benchmark(benchmark));
    return pretty({{"scenarios", list}, {"benchmarks", measured}});
}

std::string show_document(const Listed& scenario, const std::vector<Row>& last) {
    auto object = of_listed(scenario);
    object["last"] = of_rows(last);
    return pretty(object);
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
    return pretty(document);
}

}  // namespace tocuda
