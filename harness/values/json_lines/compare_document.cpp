// tocuda, Apache-2.0.
#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "json_lines/documents.hpp"
#include "json_lines/json.hpp"
#include "json_lines/model_fields.hpp"
#include "json_lines/recorded_json.hpp"
#include "model/row.hpp"

namespace tocuda {
namespace {

using json::Json;

Json of_times(const std::optional<double>& seconds, int sessions, int processes,
              const std::optional<PrintedRate>& rate) {
    Json times{{"seconds", json::of(seconds)}, {"sessions", sessions}, {"processes", processes}};
    if (rate && seconds) times["printed"] = {{"value", rate->amount / *seconds}, {"unit", rate->unit}};
    return times;
}

Json of_row(const AnsweredRow& one) {
    const auto& [row, change, before, after, rate, clock, flags, of_gpus] = one;
    Json object{{"id", row.id},
                {"benchmark", row.benchmark},
                {"parameters", json::of(row.parameters)},
                {"device", word(row.device)},
                {"clock", word(row.clock)}};
    if (!row.gpu.empty()) object["gpu"] = row.gpu;
    if (!row.peer.empty()) object["peer"] = row.peer;
    if (row.gpus > 1) object["gpus"] = row.gpus;
    if (of_gpus) object["of_gpus"] = Json::array({of_gpus->low, of_gpus->high});
    const char* witness = change.by_block ? "block" : "host";
    for (const auto& [list, hosts] :
         {std::pair(std::string(witness) + "s", &change.hosts), std::pair(std::string("unlike"), &change.unlike)})
        for (const auto& each : *hosts) {
            auto& told = object[list].emplace_back(Json{{witness, each.host}, {"change", each.change}});
            if (each.kept_driver) told["kept_driver"] = true;
            if (each.set_aside) told["set_aside"] = true;
        }
    if (change.apart > 0) object["apart"] = change.apart;
    for (const auto& [host, gpu, of_one] : change.unlike_gpus) {
        auto& named = object["unlike_gpus"].emplace_back(Json{{"gpu", gpu}, {"change", of_one}});
        if (!host.empty()) named["host"] = host;
    }
    if (change.controls_change)
        object["controls"] = {{"count", count_witnesses(change.controls)},
                              {"change", *change.controls_change},
                              {"subtracted", change.less_controls}};
    if (change.drift) object["drift"] = *change.drift;
    if (!change.hosts.empty()) object["separated"] = change.is_separated;
    object["verdict"] = word(change.verdict);
    const auto leans = leaning(change);
    object["leans"] = json::of(leans);
    object["change"] = json::of(change.change);
    object["change_interval"] =
        change.interval ? Json::array({change.interval->low, change.interval->high}) : Json(nullptr);
    object["interval_level"] = json::of(change.interval_level);
    object["detectable_change"] = json::of(change.detectable);
    object["start_noise"] = change.start_noise ? Json(change.start_noise->spread) : Json(nullptr);
    object["source"] = change.start_noise ? Json(change.start_noise->of) : Json(nullptr);
    if (!change.start_noise && change.noise_freedom > 0) object["noise_freedom"] = change.noise_freedom;
    object["chance_above"] = json::of(change.chance_above);
    object["not_excluded"] = json::of(change.not_excluded);
    object["margin"] = change.margin;
    object["old"] = of_times(before, change.starts_before, change.processes_before, rate);
    object["new"] = of_times(after, change.starts_after, change.processes_after, rate);
    object["freedom"] = change.freedom;
    object["history"] = row.history.of.empty() ? Json(nullptr) : Json(row.history.of);
    object["worth_a_look"] = change.worth_a_look;
    object["sessions_missing"] = change.starts_missing;
    if (clock) object["sm_clock_change"] = *clock;
    object["flags"] = json::of(flags);
    object["because"] = change.because;
    return object;
}

Json of_fields(const std::vector<FieldChange>& fields) {
    auto list = Json::array();
    for (const auto& [field, before, after] : fields)
        list.push_back({{"field", field}, {"old", json::of(before)}, {"new", json::of(after)}});
    return list;
}

Json of_attribution(const Attribution& attribution) {
    Json object{{"only", json::of(attribution.only)},
                {"changed", of_fields(attribution.changed)},
                {"mixed", Json::array()},
                {"unknown", of_fields(attribution.unknown)},
                {"is_cause", attribution.is_cause},
                {"text", attribution.text}};
    for (const auto& [field, side, values] : attribution.mixed)
        object["mixed"].push_back({{"field", field}, {"side", side}, {"values", values}});
    return object;
}

Json of_side(const ComparedSide& side) {
    return {{"files", side.files},
            {"sections", side.runs.size()},
            {"starts", side.starts},
            {"repeated", side.repeated},
            {"from", side.runs.empty() ? "" : side.runs.front().run.time},
            {"to", side.runs.empty() ? "" : side.runs.back().run.time}};
}

Json about(const ComparedSide& side) {
    auto runs = Json::array();
    for (const auto& one : side.runs) runs.push_back(json::about(one.run));
    return runs;
}

Json of_totals(const ChangeReport& report) {
    auto totals = Json::object();
    std::array<int, change_words.size()> counts{};
    for (const auto& one : report.rows) ++counts[static_cast<std::size_t>(one.change.verdict)];
    for (std::size_t i = 0; i < counts.size(); ++i) totals[std::string(change_words[i])] = counts[i];
    totals["hosts_unlike"] = std::ranges::count(report.apart, true, &ApartHost::is_sure);
    totals["hosts_set_aside"] = std::ranges::count(report.apart, false, &ApartHost::is_sure);
    std::set<std::pair<std::string, std::string>> gpus;
    for (const auto& one : report.rows)
        for (const auto& [host, gpu, change] : one.change.unlike_gpus) gpus.emplace(host, gpu);
    totals["gpus_unlike"] = gpus.size();
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

Json of_apart(const ChangeReport& report) {
    auto list = Json::array();
    for (const auto& [host, change, rows, is_sure, kept_driver] : report.apart)
        list.push_back(
            {{"host", host}, {"change", change}, {"rows", rows}, {"sure", is_sure}, {"kept_driver", kept_driver}});
    return list;
}

Json of_models(const TwoModels& models) {
    Json object{{"old", models.before}, {"new", models.after}, {"rows", Json::array()}};
    for (const auto& [benchmark, parameters, before, after] : models.rows)
        object["rows"].push_back({{"benchmark", benchmark},
                                  {"parameters", json::of(parameters)},
                                  {"old_seconds", before},
                                  {"new_seconds", after}});
    return object;
}

Json of_compared(const ChangeReport& report) {
    Json document{{"about", {{"old", about(report.before)}, {"new", about(report.after)}}},
                  {"simulated", report.simulated},
                  {"old", of_side(report.before)},
                  {"new", of_side(report.after)},
                  {"gpus", report.gpus},
                  {"machines", report.machines},
                  {"hosts_on_one_side", {{"old", report.hosts_before}, {"new", report.hosts_after}}},
                  {"gpus_on_one_side", {{"old", report.gpus_before}, {"new", report.gpus_after}}},
                  {"moved_gpus", Json::array()},
                  {"hosts_apart", of_apart(report)},
                  {"left_out_hosts", report.left_out},
                  {"hosts_with_both_drivers", report.had_both_drivers},
                  {"rolled_back", report.rolled_back},
                  {"backwards", report.is_backwards},
                  {"unit", report.by_driver_load ? "boot and driver load" : "session"},
                  {"on_both_sides", report.same_starts},
                  {"same_files", report.same_files},
                  {"altered_sections", report.altered},
                  {"rows", Json::array()}};
    for (const auto& [gpu, before, after] : report.moved)
        document["moved_gpus"].push_back({{"gpu", gpu}, {"old", before}, {"new", after}});
    for (const auto& one : report.rows) document["rows"].push_back(of_row(one));
    document["unpaired"] = Json::array();
    for (const auto& [why, count, first] : report.unpaired)
        document["unpaired"].push_back({{"why", why}, {"count", count}, {"first", first}});
    if (report.models) document["models"] = of_models(*report.models);
    document["verdicts"] = of_claims(report);
    document["texts"] = of_texts(report);
    document["attribution"] = of_attribution(report.attribution);
    document["totals"] = of_totals(report);
    document["warnings"] = report.warnings;
    return document;
}

Json of_found(const FleetRow& row) {
    Json object{{"node", row.node}, {"gpu", row.gpu}};
    if (!row.peer.empty()) object["peer"] = row.peer;
    object["model"] = row.model;
    object["id"] = row.id;
    object["benchmark"] = row.benchmark;
    object["parameters"] = json::of(row.parameters);
    object["verdict"] = row.below ? "below" : "above";
    object["difference"] = row.difference;
    object["z"] = json::of(row.z);
    object["peers"] = row.peers;
    object["because"] = row.because;
    object["differs"] = row.differs;
    return object;
}

Json of_reproduced(const ReproducedRow& row) {
    Json object{{"id", row.id},
                {"name", row.name},
                {"verdict", word(row.verdict)},
                {"old", json::from_value(row.before)},
                {"new", json::from_value(row.after)}};
    object["interval"] = row.interval ? Json::array({row.interval->low, row.interval->high}) : Json(nullptr);
    if (!row.because.empty()) object["because"] = row.because;
    return object;
}

Json of_held(const HeldRow& row) {
    Json held{{"id", row.id},
              {"benchmark", row.benchmark},
              {"parameters", json::of(row.parameters)},
              {"gpu", row.gpu},
              {"counts", word(row.counts)},
              {"per_second", row.per_second},
              {"standing", word(row.standing)},
              {"sources", row.sources},
              {"band", Json::array()},
              {"others", Json::array()}};
    for (const auto& [name, list] : {std::pair{"band", &row.band}, std::pair{"others", &row.others}})
        for (const auto& number : *list)
            held[name].push_back({{"kind", number.kind},
                                  {"per_second", number.per_second},
                                  {"counts", word(number.counts)},
                                  {"by", number.by},
                                  {"date", number.date.empty() ? Json() : Json(number.date)},
                                  {"address", number.address}});
    return held;
}

Json of_libcuda(const LibcudaPair& libcuda) {
    return {{"version", libcuda.version},
            {"cuda", libcuda.cuda},
            {"installed", libcuda.installed},
            {"installed_cuda", libcuda.installed_cuda},
            {"module", libcuda.module}};
}

}  // namespace

std::string libcuda_words(const LibcudaPair& libcuda) {
    return "only the user-mode libcuda changed: libcuda " + libcuda.version + " on module " + libcuda.module +
           ", instead of libcuda " + libcuda.installed +
           "; this says nothing about the module, GSP, firmware, or driver " + libcuda.version + " as installed";
}

std::string compare_document(const ChangeReport& report, const std::optional<NormalAnswer>& normal) {
    auto document = of_compared(report);
    if (normal) {
        document["normal"] = {{"of", normal->machine}, {"files", normal->files}, {"text", normal->text}};
        document["normal"]["published"] = Json::array();
        for (const auto& row : normal->published) document["normal"]["published"].push_back(of_held(row));
    }
    return json::pretty(document);
}

std::string against_document(const RecordedRun& bench, const AgainstWhat& what, const ChangeReport& report) {
    auto document = json::of_bench(bench);
    Json against{{"folder", what.folder}, {"file", what.file}};
    if (what.build) against["build"] = json::of_build(*what.build);
    if (what.libcuda) {
        against["libcuda"] = of_libcuda(*what.libcuda);
        against["attribution"] = {{"only", "user-mode libcuda"}, {"text", libcuda_words(*what.libcuda)}};
    }
    against["rows"] = Json::array();
    for (const auto& one : report.rows) against["rows"].push_back(of_row(one));
    against["totals"] = of_totals(report);
    document["against"] = std::move(against);
    return json::pretty(document);
}

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
        document["drivers"].push_back({{"old", before}, {"new", after}, {"compared", of_compared(compared)}});
    document["warnings"] = report.warnings;
    return json::pretty(document);
}

std::string reproduce_document(const Reproduction& reproduction) {
    Json document{{"about", json::about(reproduction.about)},
                  {"file", reproduction.file},
                  {"recorded", reproduction.recorded},
                  {"device", word(reproduction.device)}};
    document["rows"] = Json::array();
    for (const auto& row : reproduction.rows) document["rows"].push_back(of_reproduced(row));
    document["differs"] = of_fields(reproduction.differs.changed);
    for (auto& change : of_fields(reproduction.differs.unknown)) document["differs"].push_back(std::move(change));
    return json::pretty(document);
}

}  // namespace tocuda
