// tocuda, Apache-2.0.
#include "json_lines/documents.hpp"

#include <algorithm>
#include <cmath>

#include "json_lines/json.hpp"
#include "json_lines/model_fields.hpp"
#include "json_lines/recorded_json.hpp"
#include "model/scenario.hpp"

namespace tocuda {
namespace {

using json::Json;
using Runs = std::vector<RecordedRun>;
using Statements = std::map<std::string, std::string>;

Json of_claims(const Tally& tally, const Statements& statements) {
    auto claims = Json::array();
    for (const auto& claim : tally.claims) {
        const auto statement = statements.find(claim.id);
        claims.push_back({{"id", claim.id},
                          {"statement", statement == statements.end() ? Json(nullptr) : Json(statement->second)},
                          {"verdict", word(claim.verdict)},
                          {"expected", word(claim.expected)},
                          {"because", claim.because},
                          {"unexpected_rows", claim.unexpected}});
    }
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

void put_verdicts(Json& object, const std::vector<Row>& scenarios, const Statements& statements) {
    const auto totals = tally(scenarios);
    object["claims"] = of_claims(totals, statements);
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
        if (!run.scenarios.empty()) put_verdicts(list.back(), run.scenarios, run.statements);
    }
    return list;
}

Json head_of(const Runs& runs) {
    const auto& [about, files, status, measured, scenarios, statements] = runs.front();
    return {{"run", about.run},
            {"file", files.empty() ? "" : files.front()},
            {"device", word(about.device)},
            {"about", json::about(about)},
            {"runs", of_runs(runs)}};
}

Json of_row(const Row& row) {
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

void put_scenarios(Json& document, const Runs& runs) {
    std::vector<Row> all;
    document["scenarios"] = Json::array();
    for (const auto& run : runs)
        for (const auto& row : run.scenarios) {
            document["scenarios"].push_back(of_row(row));
            document["scenarios"].back()["run"] = run.about.run;
            all.push_back(row);
        }
    put_verdicts(document, all, runs.front().statements);
}

void put_runnable(Json& object, const auto& listed) {
    object["worker"] = listed.worker;
    object["runnable"] = listed.runnable;
    object["because"] = listed.because;
}

Json of_listed(const Listed& listed) {
    Json object = json::of(listed.scenario);
    object["family"] = family(listed.scenario);
    for (auto& claim : object["claims"]) claim["source"] = source_of(claim["id"].get<std::string>());
    put_runnable(object, listed);
    return object;
}

Json of_verified(const VerifyReport& report) {
    if (!report.unreadable.empty())
        return {{"file", report.file}, {"error", {{"message", report.unreadable}, {"exit_code", 2}}}};
    auto problems = Json::array();
    for (const auto& [what, line] : report.problems) problems.push_back({{"line", line}, {"what", what}});
    return {{"file", report.file},
            {"whole", report.whole},
            {"unaltered", report.unaltered},
            {"problems", problems},
            {"citable", report.why_not_citable.empty()},
            {"because", report.why_not_citable},
            {"sha256", report.sha256},
            {"notes", report.notes}};
}

}  // namespace

std::string run_document(const RecordedRun& run) {
    auto document = head_of({run});
    put_scenarios(document, {run});
    return json::pretty(document);
}

Json json::of_bench(const RecordedRun& run) {
    auto document = head_of({run});
    put_measured(document, {run});
    return document;
}

std::string bench_document(const RecordedRun& run) { return json::pretty(json::of_bench(run)); }

std::string judge_document(const Runs& runs) {
    const auto any = [&](auto holds) { return std::any_of(runs.begin(), runs.end(), holds); };
    auto document = head_of(runs);
    if (any([](const RecordedRun& run) { return !run.measured.rows.empty(); })) json::put_measured(document, runs);
    if (any([](const RecordedRun& run) { return !run.scenarios.empty(); })) put_scenarios(document, runs);
    return json::pretty(document);
}

std::string list_document(const std::vector<Listed>& scenarios, const std::vector<ListedBenchmark>& benchmarks) {
    auto list = Json::array();
    for (const auto& listed : scenarios) list.push_back(of_listed(listed));
    auto measured = Json::array();
    for (const auto& listed : benchmarks) {
        measured.push_back(json::of(listed.benchmark));
        put_runnable(measured.back(), listed);
    }
    return json::pretty({{"scenarios", list}, {"benchmarks", measured}});
}

std::string error_document(const std::string& message, int exit_code) {
    return json::pretty({{"error", {{"message", message}, {"exit_code", exit_code}}}});
}

std::string cite_document(const RunLine& about, const ClaimSummary& claim, const std::optional<std::string>& text,
                          const std::optional<std::string>& bibtex, const std::vector<std::string>& refused) {
    const Json row{{"id", claim.id}, {"verdict", word(claim.verdict)}, {"because", claim.because}};
    return json::pretty({{"about", json::about(about)},
                         {"text", json::of(text)},
                         {"bibtex", json::of(bibtex)},
                         {"row", row},
                         {"refused", refused}});
}

std::string show_document(const std::vector<Shown>& scenarios, const std::vector<ShownBenchmark>& benchmarks) {
    auto list = Json::array();
    for (const auto& shown : scenarios) {
        list.push_back(of_listed(shown.listed));
        list.back()["last"] = Json::array();
        for (const auto& row : shown.last) list.back()["last"].push_back(of_row(row));
    }
    auto measured = Json::array();
    for (const auto& shown : benchmarks) measured.push_back(json::of_shown(shown));
    if (list.size() + measured.size() == 1) return json::pretty(list.empty() ? measured.front() : list.front());
    Json document = Json::object();
    if (!list.empty()) document["scenarios"] = list;
    if (!measured.empty()) document["benchmarks"] = measured;
    return json::pretty(document);
}

std::string verify_document(const std::vector<VerifyReport>& reports) {
    if (reports.size() == 1) return json::pretty(of_verified(reports.front()));
    auto files = Json::array();
    for (const auto& report : reports) files.push_back(of_verified(report));
    return json::pretty({{"files", std::move(files)}});
}

std::string merge_document(const MergeReport& report) {
    return json::pretty({{"file", report.file},
                         {"sections", report.sections},
                         {"rows", report.rows},
                         {"duplicates", report.duplicates},
                         {"warnings", report.warnings}});
}

std::string import_document(const ImportReport& report) {
    auto sections = json::Json::array();
    for (const auto& run : report.sections) sections.push_back(json::about(run));
    return json::pretty({{"file", report.file},
                         {"sections", std::move(sections)},
                         {"rows", report.rows},
                         {"without_value", report.without_value},
                         {"warnings", report.warnings}});
}

std::string report_document(const WrittenReport& report) {
    return json::pretty({{"file", report.file},
                         {"bytes", report.bytes},
                         {"runs", report.runs},
                         {"simulated", report.simulated},
                         {"redacted", report.redacted},
                         {"warnings", report.warnings}});
}

namespace {

using json::Json;

// An estimate, to the millisecond.
double rounded(double seconds) { return std::round(1000 * seconds) / 1000; }

Json words_or_null(const std::string& words) { return words.empty() ? Json(nullptr) : Json(words); }

Json of_unit(const UnitForecast& unit) {
    return {{"benchmark", unit.benchmark},
            {"group", unit.group},
            {"gpus", unit.gpus},
            {"sets", unit.sets},
            {"processes", unit.processes},
            {"seconds", rounded(unit.seconds)},
            {"sets_in_time", unit.sets_in_time},
            {"because", words_or_null(unit.because)}};
}

}  // namespace

std::string forecast_document(const Forecast& forecast, Device device, double budget_seconds) {
    auto units = Json::array();
    for (const auto& unit : forecast.units) units.push_back(of_unit(unit));
    auto skipped = Json::array();
    for (const auto& unit : forecast.skipped)
        skipped.push_back({{"benchmark", unit.benchmark}, {"gpus", unit.gpus}, {"because", unit.because}});
    return json::pretty({{"forecast", true},
                         {"device", word(device)},
                         {"budget_seconds", budget_seconds > 0 ? Json(budget_seconds) : Json(nullptr)},
                         {"processes_least", forecast.least},
                         {"benchmarks", forecast.benchmarks},
                         {"sets", forecast.sets},
                         {"processes", forecast.processes},
                         {"seconds", rounded(forecast.seconds)},
                         {"in_time",
                          {{"sets", forecast.sets_in_time},
                           {"processes", forecast.processes_in_time},
                           {"seconds", rounded(forecast.seconds_in_time)}}},
                         {"units", units},
                         {"skipped", skipped}});
}

}  // namespace tocuda
