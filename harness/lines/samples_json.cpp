// tocuda, Apache-2.0.
// Samples and telemetry, to JSON and back. What is damaged is refused by name: a time that is negative or no number would be believed.
#include "lines/samples_json.hpp"

#include <cmath>

#include "lines/benchmark_json.hpp"

namespace tocuda::json {
namespace {

void add_peak(Json& object, const Peak& peak) {
    if (peak.bytes_per_second <= 0) return;
    object["peak_bytes_per_second"] = peak.bytes_per_second;
    object["peak_source"] = peak.source;
    if (peak.counted) object["peak_counted"] = word(*peak.counted);
}

Peak to_peak(const Json& object) {
    Peak peak{amount_or<double>(object, "peak_bytes_per_second", 0), field_or<std::string>(object, "peak_source", "")};
    if (object.contains("peak_counted")) peak.counted = word_field<Counted>(object, "peak_counted", counted_words);
    return peak;
}

double to_sample(const Json& sample) {
    if (!sample.is_number()) throw Malformed("a sample is no number");
    const auto seconds = sample.get<double>();
    if (!std::isfinite(seconds) || seconds < 0) throw Malformed("a sample is negative");
    return seconds;
}

template <class Type>
void take_amount(const Json& object, const char* name, std::optional<Type>& value) {
    if (object.contains(name)) value = amount<Type>(object, name);
}

}  // namespace

Json of_telemetry(const Telemetry& telemetry) {
    auto object = Json::object();
    put(object, "sm_clock_mhz", telemetry.sm_clock_mhz);
    put(object, "memory_clock_mhz", telemetry.memory_clock_mhz);
    put(object, "temperature_c", telemetry.temperature_c);
    put(object, "power_w", telemetry.power_w);
    put(object, "reasons", telemetry.reasons);
    if (!telemetry.violation_ns.empty()) object["violation_ns"] = telemetry.violation_ns;
    put(object, "link_generation", telemetry.link_generation);
    put(object, "link_width", telemetry.link_width);
    put(object, "foreign_processes", telemetry.foreign_processes);
    return object;
}

Telemetry to_telemetry(const Json& object) {
    Telemetry telemetry;
    take_amount(object, "sm_clock_mhz", telemetry.sm_clock_mhz);
    take_amount(object, "memory_clock_mhz", telemetry.memory_clock_mhz);
    take(object, "temperature_c", telemetry.temperature_c);
    take_amount(object, "power_w", telemetry.power_w);
    if (object.contains("reasons")) telemetry.reasons = words_or_none(object, "reasons");
    if (object.contains("violation_ns")) {
        const auto& counters = part(object, "violation_ns");
        for (const auto& [name, counter] : counters.items())
            telemetry.violation_ns[name] = amount<std::int64_t>(counters, name.c_str());
    }
    take_amount(object, "link_generation", telemetry.link_generation);
    take_amount(object, "link_width", telemetry.link_width);
    take_amount(object, "foreign_processes", telemetry.foreign_processes);
    return telemetry;
}

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

Samples to_samples(const Json& object) {
    Samples samples{.parameters = to_parameters(part(object, "parameters")),
                    .status = word_field<Status>(object, "status", status_words),
                    .check = field<std::string>(object, "check"),
                    .clock = word_field<Clock>(object, "clock", clock_words),
                    .batch = amount<std::int64_t>(object, "batch"),
                    .bytes_one_way = amount<std::int64_t>(object, "bytes_one_way"),
                    .bytes_touched = amount<std::int64_t>(object, "bytes_touched")};
    if (field<std::string>(object, "unit") != "s") throw Malformed("'unit' is not 's'");
    for (const auto& sample : list(object, "samples")) samples.seconds.push_back(to_sample(sample));
    samples.gpu = field_or<std::string>(object, "gpu", "");
    samples.peer = field_or<std::string>(object, "peer", "");
    samples.peak = to_peak(object);
    if (object.contains("before")) samples.before = to_telemetry(part(object, "before"));
    if (object.contains("during")) samples.during = to_telemetry(part(object, "during"));
    if (object.contains("after")) samples.after = to_telemetry(part(object, "after"));
    samples.flags = words_or_none(object, "flags");
    return samples;
}

}  // namespace tocuda::json
