// tocuda, Apache-2.0.
#include "lines/samples_json.hpp"

#include "lines/benchmark_json.hpp"

namespace tocuda::json {
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

}  // namespace tocuda::json
