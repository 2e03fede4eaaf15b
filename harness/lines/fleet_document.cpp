// tocuda, Apache-2.0.
// The documents of `compare --fleet` and `compare --history`.
#include "lines/benchmark_json.hpp"
#include "lines/compare_document.hpp"
#include "lines/json.hpp"

namespace tocuda {
namespace {

using json::Json;

Json of_found(const FleetRow& row) {
    Json object{{"node", row.node}, {"gpu", row.gpu}};
    if (!row.peer.empty()) object["peer"] = row.peer;
    object["model"] = row.model;
    object["id"] = row.id;
    object["benchmark"] = row.benchmark;
    object["parameters"] = json::of_parameters(row.parameters);
    object["verdict"] = row.below ? "below" : "above";
    object["difference"] = row.difference;
    object["z"] = row.z ? Json(*row.z) : Json(nullptr);
    object["peers"] = row.peers;
    object["because"] = row.because;
    object["differs"] = row.differs;
    return object;
}

Json of_step(const RowStep& step) {
    Json object{{"id", step.id}, {"benchmark", step.benchmark}, {"parameters", json::of_parameters(step.parameters)}};
    if (!step.gpu.empty()) object["gpu"] = step.gpu;
    object["time"] = step.time;
    object["driver"] = Json::array({step.driver_before, step.driver});
    object["change"] = step.change;
    object["probability"] = step.probability;
    return object;
}

}  // namespace

std::string fleet_document(const FleetReport& report) {
    Json document{{"simulated", report.simulated},
                  {"files", report.files},
                  {"sections", report.sections},
                  {"gpus", report.gpus},
                  {"cohorts", Json::array()}};
    for (const auto& [cohort, gpus] : report.cohorts)
        document["cohorts"].push_back({{"model", cohort.model},
                                       {"driver", cohort.driver},
                                       {"vbios", cohort.vbios},
                                       {"power_limit_w", cohort.power_limit_w},
                                       {"gpus", gpus}});
    document["found"] = Json::array();
    for (const auto& row : report.found) document["found"].push_back(of_found(row));
    document["totals"] = {
        {"rows", report.rows}, {"alone", report.alone}, {"invalid", report.invalid}, {"found", report.found.size()}};
    document["warnings"] = report.warnings;
    return json::pretty(document);
}

std::string history_document(const HistoryReport& report) {
    Json document{{"simulated", report.simulated},
                  {"files", report.files},
                  {"sections", report.sections},
                  {"drivers", Json::array()}};
    for (const auto& [before, after, compared] : report.drivers)
        document["drivers"].push_back(
            {{"old", before}, {"new", after}, {"compared", Json::parse(compare_document(compared))}});
    document["steps"] = Json::array();
    for (const auto& step : report.steps) document["steps"].push_back(of_step(step));
    document["totals"] = {
        {"rows", report.rows}, {"short_rows", report.short_rows}, {"sessions_missing", report.sessions_missing}};
    document["warnings"] = report.warnings;
    return json::pretty(document);
}

}  // namespace tocuda
