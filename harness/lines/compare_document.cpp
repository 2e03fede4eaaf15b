// tocuda, Apache-2.0.
#include "lines/compare_document.hpp"

#include <array>

#include "lines/benchmark_json.hpp"
#include "lines/build_line.hpp"
#include "lines/json.hpp"
#include "model/row.hpp"

namespace tocuda {
namespace {

using json::Json;
using json::or_null;

Json of_row(const AnsweredRow& one) {
    const auto& [row, change, before, after, clock, flags] = one;
    Json object{{"id", row.id},
                {"benchmark", row.benchmark},
                {"parameters", json::of_parameters(row.parameters)},
                {"device", word(row.device)},
                {"clock", word(row.clock)}};
    if (!row.gpu.empty()) object["gpu"] = row.gpu;
    if (!row.peer.empty()) object["peer"] = row.peer;
    object["verdict"] = word(change.verdict);
    object["seconds"] = Json::array({or_null(before), or_null(after)});
    object["change"] = or_null(change.change);
    object["interval"] = change.interval ? Json::array({change.interval->low, change.interval->high}) : Json(nullptr);
    object["interval_level"] = or_null(change.interval_level);
    object["detectable"] = or_null(change.detectable);
    object["margin"] = change.margin;
    object["sessions"] = Json::array({change.starts_before, change.starts_after});
    object["processes"] = Json::array({change.processes_before, change.processes_after});
    object["freedom"] = change.freedom;
    object["history"] = row.history.of.empty() ? Json(nullptr) : Json(row.history.of);
    object["worth_a_look"] = change.worth_a_look;
    object["sessions_missing"] = change.starts_missing;
    if (clock) object["sm_clock_change"] = *clock;
    object["flags"] = flags;
    object["because"] = change.because;
    return object;
}

Json of_fields(const std::vector<FieldChange>& fields) {
    auto list = Json::array();
    for (const auto& [field, before, after] : fields)
        list.push_back({{"field", field}, {"old", or_null(before)}, {"new", or_null(after)}});
    return list;
}

Json of_attribution(const Attribution& attribution) {
    Json object{{"only", or_null(attribution.only)},
                {"changed", of_fields(attribution.changed)},
                {"mixed", Json::array()},
                {"unknown", of_fields(attribution.unknown)},
                {"text", attribution.text}};
    for (const auto& [field, side, values] : attribution.mixed)
        object["mixed"].push_back({{"field", field}, {"side", side}, {"values", values}});
    return object;
}

Json of_side(const ComparedSide& side) {
    return {{"files", side.files},
            {"sections", side.sections},
            {"starts", side.starts},
            {"from", side.first_time},
            {"to", side.last_time}};
}

Json of_totals(const ChangeReport& report) {
    auto totals = Json::object();
    std::array<int, change_words.size()> counts{};
    for (const auto& one : report.rows) ++counts[static_cast<std::size_t>(one.change.verdict)];
    for (std::size_t i = 0; i < counts.size(); ++i) totals[std::string(change_words[i])] = counts[i];
    totals["unpaired"] = 0;
    for (const auto& one : report.unpaired) totals["unpaired"] = totals["unpaired"].get<int>() + one.count;
    totals["claims"] = report.claims.compared;
    totals["claims_changed"] = report.claims.verdicts.size();
    totals["claims_varying"] = report.claims.varying;
    totals["claims_on_one_side"] = report.claims.one_side;
    totals["texts_changed"] = report.claims.texts.size();
    return totals;
}

Json of_claims(const ChangeReport& report) {
    auto list = Json::array();
    for (const auto& [claim, scenario, variant, device, before, after] : report.claims.verdicts)
        list.push_back({{"claim", claim},
                        {"scenario", scenario},
                        {"variant", variant},
                        {"device", word(device)},
                        {"old", before},
                        {"new", after}});
    return list;
}

Json of_texts(const ChangeReport& report) {
    auto list = Json::array();
    for (const auto& [scenario, variant, device, key, before, after] : report.claims.texts)
        list.push_back({{"scenario", scenario},
                        {"variant", variant},
                        {"device", word(device)},
                        {"key", key},
                        {"old", before},
                        {"new", after}});
    return list;
}

}  // namespace

std::string compare_document(const ChangeReport& report) {
    Json document{{"simulated", report.simulated},
                  {"old", of_side(report.before)},
                  {"new", of_side(report.after)},
                  {"gpus", report.gpus},
                  {"unit", report.by_driver_load ? "boot and driver load" : "session"},
                  {"on_both_sides", report.same_starts},
                  {"rows", Json::array()}};
    for (const auto& one : report.rows) document["rows"].push_back(of_row(one));
    document["unpaired"] = Json::array();
    for (const auto& [why, count, first] : report.unpaired)
        document["unpaired"].push_back({{"why", why}, {"count", count}, {"first", first}});
    document["verdicts"] = of_claims(report);
    document["texts"] = of_texts(report);
    document["attribution"] = of_attribution(report.attribution);
    document["totals"] = of_totals(report);
    document["warnings"] = report.warnings;
    return json::pretty(document);
}

std::string against_document(const RecordedRun& bench, const AgainstWhat& what, const ChangeReport& report) {
    auto document = json::object(bench_document(bench));
    Json against{{"folder", what.folder},
                 {"file", what.file},
                 {"build", json::object(to_line(what.build))},
                 {"rows", Json::array()}};
    for (const auto& one : report.rows) against["rows"].push_back(of_row(one));
    against["totals"] = of_totals(report);
    document["against"] = std::move(against);
    return json::pretty(document);
}

}  // namespace tocuda
