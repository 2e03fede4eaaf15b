// tocuda, Apache-2.0.
// The fields of scenarios, benchmarks, protocols and measurements: the same in worker lines, result files and
// documents. Only files of this room include it.
#pragma once

#include "json_lines/fields.hpp"
#include "model/measurement.hpp"
#include "model/scenario.hpp"

namespace tocuda {

void fields(auto& io, Of<Needs> auto& needs) {
    io.or_else("gpus", needs.gpus);
    io.or_else("free_gib", needs.free_gib);
    io.or_else("compute_capability", needs.compute_capability);
    io.or_else("arithmetic", needs.arithmetic);
    io.unless_empty("profile", needs.profile);
    io.unless_empty("machine", needs.machine);
}

void fields(auto& io, Of<Allowed> auto& allowed) {
    io.or_else("least", allowed.least);
    if (io.reads || allowed.most != Allowed::no_most) io.or_else("most", allowed.most);
    if (io.reads || allowed.multiple_of != 1) io.or_else("multiple_of", allowed.multiple_of);
    if (io.reads || allowed.or_zero) io.or_else("or_zero", allowed.or_zero);
    io.unless_empty("only", allowed.only);
    io.unless_empty("because", allowed.because);
    io.must(allowed.multiple_of >= 1, "'multiple_of' is below 1");
}

void fields(auto& io, Of<Group> auto& group) {
    io("name", group.name);
    io.or_else("order", group.order);
}

void fields(auto& io, Of<Cost> auto& cost) {
    io.or_else("bytes", cost.bytes);
    if (io.reads || cost.all_gpus) io.or_else("all_gpus", cost.all_gpus);
    io.unless_empty("seconds_of_each_gpu", cost.seconds_of_each_gpu, As::amount);
    io.unless_empty("programs", cost.programs, As::amount);
}

void fields(auto& io, Of<SheetLine> auto& line) {
    io("order", line.order);
    io("section", line.section);
    io("words", line.words);
    io.unless_empty("having", line.having);
    io.unless_empty("figure", line.figure);
    io.unless_empty("touched", line.touched);
    io.unless_empty("time", line.time);
    io.unless_empty("ratio", line.ratio);
}

// In the order of the members, because the build makes an initializer of them.
void fields(auto& io, Of<Role> auto& role) {
    io.unless_empty("sheet", role.sheet);
    io.unless_empty("characterise", role.characterise);
    io.unless_empty("headline", role.headline);
    io.unless_empty("pictures", role.pictures);
    io.unless_empty("heading", role.heading);
    io.unless_empty("question", role.question);
    io.unless_empty("compared", role.compared);
    io.unless_empty("campaign", role.campaign);
    io.unless_empty("peers", role.peers);
    io.unless_empty("chooses", role.chooses);
    io.unless_empty("over_link", role.over_link);
    io.unless_empty("libtorch", role.libtorch);
    io.unless_empty("working_set", role.working_set);
    io.unless_empty("collective", role.collective);
    io.unless_empty("unlike", role.unlike);
    io.unless_empty("tunes", role.tunes);
    io.unless_empty("touched", role.touched);
    io.unless_empty("each_row", role.each_row);
    io.unless_empty("alone", role.alone);
    io.unless_empty("slowest", role.slowest);
    io.unless_empty("inspected", role.inspected);
}

void fields(auto& io, Of<Benchmark> auto& benchmark) {
    io("name", benchmark.name);
    io("summary", benchmark.summary);
    io.unless_empty("how", benchmark.how);
    io("clock", benchmark.clock);
    io("parameters", benchmark.parameters);
    io.or_else("quick", benchmark.quick);
    io.or_else("full", benchmark.full);
    io.unless_empty("allowed", benchmark.allowed);
    io.or_else("alternates", benchmark.alternates);
    if (io.reads || benchmark.processes != 0) io.or_else("processes", benchmark.processes, As::amount);
    io("needs", benchmark.needs);
    io.or_else("group", benchmark.group);
    io.or_else("cost", benchmark.cost);
    io.unless_empty("role", benchmark.role);  // the last: see cmake/described_roles.cmake
}

void fields(auto& io, Of<Protocol> auto& protocol) {
    for_each_field(protocol, protocol_fields,
                   [&](const char* name, auto& value) { io.or_else(name, value, As::amount); });
    if (io.reads || !protocol.gate) io.or_else("gate", protocol.gate);
    io.must(protocol.launches_min >= 1, "'launches_min' is below 1");
    io.must(protocol.launches_max >= protocol.launches_min, "'launches_max' is below 'launches_min'");
}

void fields(auto& io, Of<Difference> auto& difference) {
    io("key", difference.key);
    io("says", difference.says);
    io.unless_empty("remark", difference.remark);
    io.unless_empty("variants", difference.variants);
}

void fields(auto& io, Of<Limits> auto& limits) {
    io.or_else("seconds", limits.seconds);
    io.or_else("resident_bytes", limits.resident_bytes);
}

void fields(auto& io, Of<Variant> auto& variant) {
    io("name", variant.name);
    io.or_else("environment", variant.environment);
    io.or_else("fakes", variant.fakes);
    io.or_else("simulate", variant.simulate);
    io.or_else("faults", variant.faults);
    io.or_else("limits", variant.limits);
    io("expected", variant.expected);
    io("needs", variant.needs);
    io.unless_empty("program", variant.program);
    io.must(variant.faults.empty() || !variant.simulate.empty(), "'faults' without 'simulate'");
    io.must(variant.program.find('/') == std::string::npos,
            "'program' must be a file name without a folder: it is looked up beside the worker");
}

void fields(auto& io, Of<Claim> auto& claim) {
    io("id", claim.id);
    io("statement", claim.statement);
}

void fields(auto& io, Of<Scenario> auto& scenario) {
    io("name", scenario.name);
    io("summary", scenario.summary);
    io.or_else("observed", scenario.observed);
    io.or_else("decisive", scenario.decisive);
    io("claims", scenario.claims);
    io.or_else("needs", scenario.needs);
    io.or_else("judges_ends", scenario.judges_ends);
    io("variants", scenario.variants);
    io.unless_empty("differs", scenario.differs);
    io.unless_empty("code", scenario.code);
    io.unless_empty("says", scenario.says);
    io.unless_empty("illustrates", scenario.illustrates);
}

void fields(auto& io, Of<Observation> auto& seen) {
    io("key", seen.key, As::shown);
    io("value", seen.value, As::lines);
    io.or_else("computed", seen.computed);
}

void fields(auto& io, Of<Telemetry> auto& telemetry) {
    io("sm_clock_mhz", telemetry.sm_clock_mhz, As::amount);
    io("memory_clock_mhz", telemetry.memory_clock_mhz, As::amount);
    io("sm_clock_max_mhz", telemetry.sm_clock_max_mhz, As::amount);
    io("memory_clock_max_mhz", telemetry.memory_clock_max_mhz, As::amount);
    io("sm_clock_counted_mhz", telemetry.sm_clock_counted_mhz, As::amount);
    io("temperature_c", telemetry.temperature_c);
    io("power_w", telemetry.power_w, As::amount);
    io("reasons", telemetry.reasons, As::shown);
    io.unless_empty("violation_ns", telemetry.violation_ns, As::amount);
    io("link_generation", telemetry.link_generation, As::amount);
    io("link_width", telemetry.link_width, As::amount);
    io("foreign_processes", telemetry.foreign_processes, As::amount);
    io("pcie_replays", telemetry.pcie_replays, As::amount);
    io("ecc_corrected", telemetry.ecc_corrected, As::amount);
    io("ecc_uncorrected", telemetry.ecc_uncorrected, As::amount);
    io("xids", telemetry.xids);
}

void fields(auto& io, Of<Peak> auto& peak) {
    if (!io.reads && peak.bytes_per_second <= 0) return;
    io.or_else("peak_bytes_per_second", peak.bytes_per_second, As::amount);
    io.or_else("peak_source", peak.source, As::shown);
    io("peak_counted", peak.counted);
    if (!io.reads && peak.footprint_bytes == 0) return;
    io.or_else("footprint_bytes", peak.footprint_bytes, As::amount);
    io.or_else("l2_bytes", peak.l2_bytes, As::amount);
}

void fields(auto& io, Of<SingleTimes> auto& tail) {
    io("of", tail.of, As::amount);
    io("p50", tail.p50, As::amount);
    io("p99", tail.p99, As::amount);
    io("largest", tail.largest, As::amount);
}

void fields(auto& io, Of<RankTimes> auto& ranks) {
    io("of", ranks.of, As::amount);
    io("mean", ranks.mean, As::amount);
    io("slowest", ranks.slowest, As::amount);
}

void fields(auto& io, Of<Samples> auto& samples) {
    io("parameters", samples.parameters, As::name);
    io("status", samples.status);
    io("check", samples.check, As::shown);
    io("clock", samples.clock);
    io("batch", samples.batch, As::amount);
    io.unless_empty("gpu", samples.gpu, As::name);
    io.unless_empty("peer", samples.peer, As::name);
    io.unless_empty("from_gpu", samples.from, As::name);
    io.unless_empty("to_gpu", samples.to, As::name);
    io.unless_empty("libcuda", samples.libcuda, As::name);
    io("bytes_one_way", samples.bytes_one_way, As::amount);
    io("bytes_touched", samples.bytes_touched, As::amount);
    if (io.reads || samples.items != 0) io.or_else("items", samples.items, As::amount);
    fields(io, samples.peak);
    io.constant("unit", "s");
    io("samples", samples.seconds);
    io("cycles", samples.cycles, As::amount);
    io("tick_seconds", samples.tick_seconds, As::amount);
    io("tail", samples.tail);
    io("ranks", samples.ranks);
    io("before", samples.before);
    io("during", samples.during);
    io("after", samples.after);
    io.unless_empty("course", samples.course);
    io.or_else("flags", samples.flags, As::shown);
}

void fields(auto& io, Of<Printed> auto& printed) {
    io("value", printed.value);
    io("unit", printed.unit, As::name);
    io("is", printed.is, As::name);
}

void fields(auto& io, Of<MeasurementRow> auto& row) {
    io.constant("kind", "measurement");
    io("benchmark", row.benchmark, As::name);
    if (!io.reads) io("parameters", row.samples.parameters);  // people look for them beside the name
    io("id", row.id, As::name);
    io("device", row.device);
    io.unless_empty("stand_in", row.stand_in, As::shown);
    io("round", row.round, As::amount);
    io("process", row.process, As::amount);
    fields(io, row.samples);
    io("imported", row.imported);
}

}  // namespace tocuda
