// tocuda, Apache-2.0.
// The measured rows in the documents of bench, judge, show and cite.
#include <tuple>

#include "json_lines/documents.hpp"
#include "json_lines/model_fields.hpp"
#include "json_lines/recorded_json.hpp"

namespace tocuda {
namespace {

using json::Json;

// The fields by which rows, fits and taxes say what was measured.
Json identity_of(const auto& measured) {
    Json object{{"benchmark", measured.benchmark}, {"parameters", json::of(measured.parameters)}};
    if constexpr (requires { measured.id; }) object["id"] = measured.id;
    object["device"] = word(measured.device);
    if (!measured.gpu.empty()) object["gpu"] = measured.gpu;
    if (!measured.peer.empty()) object["peer"] = measured.peer;
    object["clock"] = word(measured.clock);
    return object;
}

void put_speed(Json& object, const RowSummary& row) {
    object["bytes_one_way"] = row.bytes_one_way;
    object["bytes_touched"] = row.bytes_touched;
    object["bytes_per_second_one_way"] = json::of(row.bytes_per_second_one_way);
    object["bytes_per_second_touched"] = json::of(row.bytes_per_second_touched);
    if (row.items != 0) object["items"] = row.items;
    json::put(object, "items_per_second", row.items_per_second);
    json::put(object, "percent_of_peak", row.percent_of_peak);
    object["peak_counted"] = word(counted_by(row.peak, role_of(row.benchmark), !row.peer.empty()));
    if (row.peak.bytes_per_second <= 0) return;
    object["peak_bytes_per_second"] = row.peak.bytes_per_second;
    object["peak_source"] = row.peak.source;
    if (row.peak.footprint_bytes == 0) return;
    object["footprint_bytes"] = row.peak.footprint_bytes;
    object["l2_bytes"] = row.peak.l2_bytes;
}

Json of_range(const std::optional<Range>& range) {
    return range ? Json::array({range->low, range->high}) : Json(nullptr);
}

Json of_process_medians(const std::vector<ProcessMedian>& medians) {
    auto list = Json::array();
    for (const auto& [process, seconds] : medians) list.push_back({{"process", process}, {"median_seconds", seconds}});
    return list;
}

Json of_left_out(const std::vector<LeftOut>& processes) {
    auto list = Json::array();
    for (const auto& [process, status, because, seconds] : processes)
        list.push_back({{"process", process},
                        {"status", word(status)},
                        {"because", because},
                        {"median_seconds", json::of(seconds)}});
    return list;
}

Json of_course(const std::vector<CourseSecond>& course) {
    auto list = Json::array();
    for (const auto& [seconds, clock, power, temperature] : course)
        list.push_back({{"seconds", seconds},
                        {"sm_clock_mhz", json::of(clock)},
                        {"power_w", json::of(power)},
                        {"temperature_c", json::of(temperature)}});
    return list;
}

Json of_summary(const RowSummary& row) {
    auto object = identity_of(row);
    object["status"] = word(row.status);
    if (!row.because.empty()) object["because"] = row.because;
    if (!row.check.empty()) object["check"] = row.check;
    if (row.imported)
        object["imported"] = {{"value", row.imported->value}, {"unit", row.imported->unit}, {"is", row.imported->is}};
    object["median_seconds"] = json::of(row.median_seconds);
    json::put(object, "cycles", row.cycles);
    if (row.tail) object["tail"] = json::of(*row.tail);
    if (row.ranks) object["ranks"] = json::of(*row.ranks);
    object["interval_seconds"] = of_range(row.interval);
    object["interval_level"] = json::of(row.interval_level);
    object["half_width"] = json::of(row.half_width);
    put_speed(object, row);
    object["processes"] = row.processes;
    object["samples"] = row.samples;
    object["process_medians"] = of_process_medians(row.process_medians);
    object["detectable_change"] = json::of(row.detectable);
    if (!row.course.empty()) object["course"] = of_course(row.course);
    object["flags"] = json::of(row.flags);
    if (!row.stopped.empty()) object["stopped"] = row.stopped;
    object["left_out"] = of_left_out(row.left_out);
    return object;
}

Json of_fit(const PathFit& fit) {
    auto object = identity_of(fit);
    object["sizes"] = fit.sizes;
    object["t0_seconds"] = json::of(fit.t0_seconds);
    object["bytes_per_second"] = json::of(fit.bytes_per_second);
    object["half_bandwidth_bytes"] = json::of(fit.half_bandwidth_bytes);
    object["residual"] = json::of(fit.residual);
    if (!fit.because.empty()) object["because"] = fit.because;
    return object;
}

Json of_tax(const FrameworkTax& tax) {
    auto object = identity_of(tax);
    object["processes"] = tax.processes;
    object["ratio"] = tax.ratio;
    object["ratio_interval"] = of_range(tax.ratio_interval);
    object["extra_seconds"] = tax.extra_seconds;
    object["extra_interval_seconds"] = of_range(tax.extra_interval);
    return object;
}

Json with_run(Json object, const RunLine& run) {
    object["run"] = run.run;
    return object;
}

}  // namespace

void json::put_measured(Json& document, const std::vector<RecordedRun>& runs) {
    for (const auto* part : {"rows", "fits", "taxes"}) document[part] = Json::array();
    for (const auto& run : runs) {
        const auto& [about, measured] = std::tie(run.about, run.measured);
        for (const auto& row : measured.rows) document["rows"].push_back(with_run(of_summary(row), about));
        for (const auto& fit : measured.fits) document["fits"].push_back(with_run(of_fit(fit), about));
        for (const auto& tax : measured.taxes) document["taxes"].push_back(with_run(of_tax(tax), about));
    }
}

Json json::of_shown(const ShownBenchmark& shown) {
    auto object = json::of(shown.listed.benchmark);
    object["worker"] = shown.listed.worker;
    object["runnable"] = shown.listed.runnable;
    object["because"] = shown.listed.because;
    object["last"] = Json::array();
    for (const auto& row : shown.last) object["last"].push_back(of_summary(row));
    return object;
}

std::string cite_document(const RunLine& about, const RowSummary& row, const std::optional<std::string>& text,
                          const std::optional<std::string>& bibtex, const std::vector<std::string>& refused) {
    return json::pretty({{"about", json::about(about)},
                         {"text", json::of(text)},
                         {"bibtex", json::of(bibtex)},
                         {"row", of_summary(row)},
                         {"refused", refused}});
}

}  // namespace tocuda
