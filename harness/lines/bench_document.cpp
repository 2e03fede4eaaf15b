// tocuda, Apache-2.0.
// The documents of what was measured: bench, cite.
#include "lines/benchmark_json.hpp"
#include "lines/documents.hpp"
#include "model/row.hpp"

namespace tocuda {
namespace {

using json::Json;
using json::or_null;

void put_place(Json& object, const std::string& gpu, const std::string& peer) {
    if (!gpu.empty()) object["gpu"] = gpu;
    if (!peer.empty()) object["peer"] = peer;
}

void put_speed(Json& object, const RowSummary& row) {
    object["bytes_one_way"] = row.bytes_one_way;
    object["bytes_touched"] = row.bytes_touched;
    object["bytes_per_second_one_way"] = or_null(row.bytes_per_second_one_way);
    object["bytes_per_second_touched"] = or_null(row.bytes_per_second_touched);
    json::put(object, "percent_of_peak", row.percent_of_peak);
    if (row.peak.bytes_per_second <= 0) return;
    object["peak_bytes_per_second"] = row.peak.bytes_per_second;
    object["peak_source"] = row.peak.source;
    if (row.peak.footprint_bytes == 0) return;
    object["footprint_bytes"] = row.peak.footprint_bytes;
    object["l2_bytes"] = row.peak.l2_bytes;
}

Json of_summary(const RowSummary& row) {
    Json object{{"benchmark", row.benchmark}, {"parameters", json::of_parameters(row.parameters)}, {"id", row.id},
                {"device", word(row.device)}};
    put_place(object, row.gpu, row.peer);
    object["clock"] = word(row.clock);
    object["status"] = word(row.status);
    if (!row.because.empty()) object["because"] = row.because;
    object["median_seconds"] = or_null(row.median_seconds);
    object["interval"] = row.interval ? Json::array({row.interval->low, row.interval->high}) : Json(nullptr);
    object["interval_level"] = or_null(row.interval_level);
    object["half_width"] = or_null(row.half_width);
    put_speed(object, row);
    object["processes"] = row.processes;
    object["samples"] = row.samples;
    object["detectable"] = or_null(row.detectable);
    object["flags"] = row.flags;
    if (!row.stopped.empty()) object["stopped"] = row.stopped;
    object["left_out"] = Json::array();
    for (const auto& [process, status, because] : row.left_out)
        object["left_out"].push_back({{"process", process}, {"status", word(status)}, {"because", because}});
    return object;
}

Json of_fit(const PathFit& fit) {
    Json object{{"benchmark", fit.benchmark}, {"parameters", json::of_parameters(fit.parameters)}, {"device", word(fit.device)}};
    put_place(object, fit.gpu, fit.peer);
    object["clock"] = word(fit.clock);
    object["sizes"] = fit.sizes;
    object["t0_seconds"] = or_null(fit.t0_seconds);
    object["bytes_per_second"] = or_null(fit.bytes_per_second);
    object["half_bandwidth_bytes"] = or_null(fit.half_bandwidth_bytes);
    object["residual"] = or_null(fit.residual);
    if (!fit.because.empty()) object["because"] = fit.because;
    return object;
}

}  // namespace

std::string show_document(const ListedBenchmark& benchmark, const std::vector<RowSummary>& last) {
    auto object = json::of_benchmark(benchmark.benchmark);
    object["worker"] = benchmark.worker;
    object["runnable"] = benchmark.runnable;
    object["because"] = benchmark.because;
    object["last"] = Json::array();
    for (const auto& row : last) object["last"].push_back(of_summary(row));
    return json::pretty(object);
}

std::string bench_document(const BenchReport& report) {
    auto document = Json::object();
    json::put(document, "run", report.run);
    document["file"] = report.file;
    document["device"] = word(report.device);
    document["rows"] = Json::array();
    for (const auto& row : report.rows) document["rows"].push_back(of_summary(row));
    document["fits"] = Json::array();
    for (const auto& fit : report.fits) document["fits"].push_back(of_fit(fit));
    return json::pretty(document);
}

std::string cite_document(const std::string& text, const std::string& bibtex, const RowSummary& row) {
    return json::pretty({{"text", text}, {"bibtex", bibtex}, {"row", of_summary(row)}});
}

std::string refused_cite_document(const RowSummary& row, const std::vector<std::string>& reasons) {
    return json::pretty({{"text", nullptr}, {"bibtex", nullptr}, {"row", of_summary(row)}, {"refused", reasons}});
}

}  // namespace tocuda
