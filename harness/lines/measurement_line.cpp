// tocuda, Apache-2.0.
// Refuses damaged fields by name, because a negative or non-numeric time would otherwise be taken for a result.
#include "lines/measurement_line.hpp"

#include "lines/benchmark_json.hpp"

namespace tocuda {
namespace json {
namespace {

void add_peak(Json& object, const Peak& peak) {
    if (peak.bytes_per_second <= 0) return;
    object["peak_bytes_per_second"] = peak.bytes_per_second;
    object["peak_source"] = peak.source;
    if (peak.counted) object["peak_counted"] = word(*peak.counted);
    if (peak.footprint_bytes == 0) return;
    object["footprint_bytes"] = peak.footprint_bytes;
    object["l2_bytes"] = peak.l2_bytes;
}

Json of_telemetry(const Telemetry& telemetry) {
    auto object = Json::object();
    put(object, "sm_clock_mhz", telemetry.sm_clock_mhz);
    put(object, "memory_clock_mhz", telemetry.memory_clock_mhz);
    put(object, "sm_clock_max_mhz", telemetry.sm_clock_max_mhz);
    put(object, "memory_clock_max_mhz", telemetry.memory_clock_max_mhz);
    put(object, "sm_clock_counted_mhz", telemetry.sm_clock_counted_mhz);
    put(object, "temperature_c", telemetry.temperature_c);
    put(object, "power_w", telemetry.power_w);
    put(object, "reasons", telemetry.reasons);
    if (!telemetry.violation_ns.empty()) object["violation_ns"] = telemetry.violation_ns;
    put(object, "link_generation", telemetry.link_generation);
    put(object, "link_width", telemetry.link_width);
    put(object, "foreign_processes", telemetry.foreign_processes);
    return object;
}

}  // namespace

void add_samples(Json& object, const Samples& samples) {
    object["parameters"] = of_parameters(samples.parameters);
    object["status"] = word(samples.status);
    object["check"] = samples.check;
    object["clock"] = word(samples.clock);
    object["batch"] = samples.batch;
    if (!samples.gpu.empty()) object["gpu"] = samples.gpu;
    if (!samples.peer.empty()) object["peer"] = samples.peer;
    object["bytes_one_way"] = samples.bytes_one_way;
    object["bytes_touched"] = samples.bytes_touched;
    add_peak(object, samples.peak);
    object["unit"] = "s";
    object["samples"] = samples.seconds;
    if (samples.before) object["before"] = of_telemetry(*samples.before);
    if (samples.during) object["during"] = of_telemetry(*samples.during);
    if (samples.after) object["after"] = of_telemetry(*samples.after);
    object["flags"] = samples.flags;
}

}  // namespace json
namespace dom {
namespace {

Peak to_peak(const Fields& fields) {
    Peak peak{.bytes_per_second = amount_or<double>(fields, "peak_bytes_per_second", 0),
              .source = visible(field_or<std::string_view>(fields, "peak_source", ""))};
    if (fields.find("peak_counted")) peak.counted = word_field<Counted>(fields, "peak_counted", counted_words);
    peak.footprint_bytes = amount_or<std::int64_t>(fields, "footprint_bytes", 0);
    peak.l2_bytes = amount_or<std::int64_t>(fields, "l2_bytes", 0);
    return peak;
}

std::vector<double> to_seconds(const Fields& fields) {
    const auto listed = list(fields, "samples");
    std::vector<double> seconds;
    seconds.reserve(listed.size());
    for (const Element sample : listed) {
        double one = 0;
        if (sample.get(one) != simdjson::SUCCESS) throw Malformed("a sample is not a number");
        if (!(one >= 0)) throw Malformed("a sample is negative");
        seconds.push_back(one);
    }
    return seconds;
}

std::optional<Telemetry> to_telemetry(const Fields& of, std::string_view name) {
    const auto found = part_or_none(of, name);
    if (!found) return std::nullopt;
    const auto& fields = *found;
    Telemetry telemetry;
    take_amount(fields, "sm_clock_mhz", telemetry.sm_clock_mhz);
    take_amount(fields, "memory_clock_mhz", telemetry.memory_clock_mhz);
    take_amount(fields, "sm_clock_max_mhz", telemetry.sm_clock_max_mhz);
    take_amount(fields, "memory_clock_max_mhz", telemetry.memory_clock_max_mhz);
    take_amount(fields, "sm_clock_counted_mhz", telemetry.sm_clock_counted_mhz);
    take(fields, "temperature_c", telemetry.temperature_c);
    take_amount(fields, "power_w", telemetry.power_w);
    if (fields.find("reasons")) telemetry.reasons = words_or_none(fields, "reasons");
    if (const auto counters = part_or_none(fields, "violation_ns"))
        for (const auto& [reason, counter] : *counters)
            telemetry.violation_ns.emplace(visible(reason), as_amount<std::int64_t>(counter, reason));
    take_amount(fields, "link_generation", telemetry.link_generation);
    take_amount(fields, "link_width", telemetry.link_width);
    take_amount(fields, "foreign_processes", telemetry.foreign_processes);
    return telemetry;
}

void refuse_control_characters_in(const Value& value, std::string_view name) {
    if (const auto* text = std::get_if<std::string>(&value.held)) refuse_control_characters(*text, name);
    if (const auto* values = std::get_if<Values>(&value.held))
        for (const auto& one : *values) refuse_control_characters_in(one, name);
}

void refuse_control_characters_in(const MeasurementRow& row) {
    refuse_control_characters(row.benchmark, "benchmark");
    refuse_control_characters(row.id, "id");
    refuse_control_characters(row.samples.gpu, "gpu");
    refuse_control_characters(row.samples.peer, "peer");
    for (const auto& [name, value] : row.samples.parameters) {
        refuse_control_characters(name, "parameters");
        refuse_control_characters_in(value, name);
    }
}

}  // namespace

Samples to_samples(const Fields& fields) {
    Samples samples{.parameters = to_parameters(part(fields, "parameters")),
                    .status = word_field<Status>(fields, "status", status_words),
                    .check = visible(field<std::string_view>(fields, "check")),
                    .clock = word_field<Clock>(fields, "clock", clock_words),
                    .batch = amount<std::int64_t>(fields, "batch")};
    samples.gpu = field_or<std::string>(fields, "gpu", "");
    samples.peer = field_or<std::string>(fields, "peer", "");
    samples.bytes_one_way = amount<std::int64_t>(fields, "bytes_one_way");
    samples.bytes_touched = amount<std::int64_t>(fields, "bytes_touched");
    samples.peak = to_peak(fields);
    if (field<std::string_view>(fields, "unit") != "s") throw Malformed("'unit' is not 's'");
    samples.seconds = to_seconds(fields);
    samples.before = to_telemetry(fields, "before");
    samples.during = to_telemetry(fields, "during");
    samples.after = to_telemetry(fields, "after");
    samples.flags = words_or_none(fields, "flags");
    return samples;
}

MeasurementRow to_measurement(const Fields& fields) {
    MeasurementRow row{.benchmark = field<std::string>(fields, "benchmark"),
                       .id = field<std::string>(fields, "id"),
                       .device = device_field(fields),
                       .stand_in = words_or_none(fields, "stand_in"),
                       .round = amount<int>(fields, "round"),
                       .process = amount<int>(fields, "process"),
                       .samples = to_samples(fields)};
    refuse_control_characters_in(row);
    return row;
}

}  // namespace dom

std::string to_line(const MeasurementRow& row) {
    json::Json object{{"kind", "measurement"},
                      {"benchmark", row.benchmark},
                      {"parameters", json::Json::object()},
                      {"id", row.id},
                      {"device", word(row.device)}};
    if (!row.stand_in.empty()) object["stand_in"] = row.stand_in;
    object["round"] = row.round;
    object["process"] = row.process;
    json::add_samples(object, row.samples);
    return json::text(object);
}

Expected<MeasurementRow> measurement_line(std::string_view line) {
    return dom::parsed<MeasurementRow>(line, [](const dom::Fields& fields) {
        dom::require_kind(fields, "measurement");
        return dom::to_measurement(fields);
    });
}

}  // namespace tocuda
