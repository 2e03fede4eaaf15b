// tocuda, Apache-2.0.
// Refuses damaged fields by name, because a negative or non-numeric time would otherwise be taken for a result.
#include "lines/samples_dom.hpp"

namespace tocuda::dom {
namespace {

Peak to_peak(const Fields& fields) {
    Peak peak{};
    if (const auto* found = fields.find("peak_bytes_per_second"))
        peak.bytes_per_second = as_amount<double>(*found, "peak_bytes_per_second");
    peak.source = visible(field_or<std::string_view>(fields, "peak_source", ""));
    if (fields.find("peak_counted")) peak.counted = word_field<Counted>(fields, "peak_counted", counted_words);
    if (fields.find("footprint_bytes")) peak.footprint_bytes = amount<std::int64_t>(fields, "footprint_bytes");
    if (fields.find("l2_bytes")) peak.l2_bytes = amount<std::int64_t>(fields, "l2_bytes");
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

Parameters to_parameters(const Fields& fields) {
    Parameters parameters;
    for (const auto& [name, value] : fields) parameters.emplace(name, to_value(value));
    return parameters;
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

}  // namespace tocuda::dom
