// tocuda, Apache-2.0.
// Reads a profile field by field; refuses unknown fields and suggests the nearest known one.
#include "json_lines/profile_json.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include "json_lines/dom.hpp"
#include "json_lines/simulated_text.hpp"
#include "model/nearest.hpp"
#include "model/words.hpp"

namespace tocuda {
namespace {

using dom::Element;
using dom::Fields;

[[noreturn]] void refuse(const std::string& field, const std::string& what) {
    throw dom::Malformed(field + ": " + what);
}

void only(const Fields& fields, const std::string& within, const std::vector<std::string>& names) {
    for (const auto& [name, value] : fields)
        if (std::ranges::find(names, name) == names.end())
            refuse(within + std::string(name),
                   "is unknown" + suggestion(name, names) + "; `tocuda __simulation --fields` lists all");
}

Fields fields_of(const Element& value, const std::string& field) {
    if (!value.is_object()) refuse(field, "is not an object");
    return Fields(value);
}

std::string text_of(const Element& value, const std::string& field) {
    if (!value.is_string()) refuse(field, "is not a string");
    auto text = dom::as<std::string>(value, field);
    // The simulator reads lines, and run lines with control characters are refused.
    if (text.empty() || has_control_characters(text))
        refuse(field, "is empty or contains a line break or another control character");
    return text;
}

std::int64_t number_of(const Element& value, const std::string& field, std::int64_t least, std::int64_t most) {
    if (!value.is_int64() && !value.is_uint64()) refuse(field, "is not a whole number");
    // A number of more than 63 bits is unsigned only.
    if (!value.is_int64() || std::int64_t(value) < least || std::int64_t(value) > most)
        refuse(field, "is not between " + std::to_string(least) + " and " + std::to_string(most));
    return std::int64_t(value);
}

int code_of(std::string_view key, const std::string& field) {
    const auto number = whole_number<int>(key);
    if (!number || *number < 0) refuse(field + std::string(key), "the key is not a whole number from 0");
    return *number;
}

const Element& required(const Fields& fields, const char* name, const std::string& within = "") {
    const auto* found = fields.find(name);
    if (!found) refuse(within + name, "is missing");
    return *found;
}

std::vector<std::string> figure_names() {
    std::vector<std::string> names;
    for (const auto& figure : gpu_figures) names.emplace_back(figure.name);
    return names;
}

void read_figures(const Fields& fields, GpuProfile& profile) {
    only(fields, "figures.", figure_names());
    for (const auto& figure : gpu_figures) {
        const std::string name(figure.name);
        const auto* found = fields.find(name);
        if (!found) continue;
        profile.gpu.*figure.member = number_of(*found, "figures." + name, figure.least, figure.most);
        profile.figures.push_back(name);
    }
    for (const char* name : {"memory_bytes", "multiprocessors"}) required(fields, name, "figures.");
}

std::vector<std::string> texts_of(const Element& value, const std::string& field) {
    if (!value.is_array()) refuse(field, "is not a list");
    std::vector<std::string> texts;
    for (const Element element : simdjson::dom::array(value)) texts.push_back(text_of(element, field));
    return texts;
}

std::vector<std::string> names_of_figures(const Element& value, const std::string& field) {
    auto names = texts_of(value, field);
    const auto known = figure_names();
    for (const auto& name : names)
        if (name != "compute_capability" && std::ranges::find(known, name) == known.end())
            refuse(field, "'" + name + "' is not a figure" + suggestion(name, known));
    return names;
}

// "9.0"
void read_compute_capability(const Element& value, SimulatedGpu& gpu) {
    const auto text = text_of(value, "compute_capability");
    const auto dot = text.find('.');
    const bool digits = text.find_first_not_of("0123456789.") == std::string::npos;
    const bool formed =
        digits && dot != std::string::npos && dot > 0 && dot < 4 && text.size() == dot + 2 && text[dot + 1] != '.';
    if (!formed) refuse("compute_capability", "is not of the form \"9.0\"");
    gpu.compute_major = std::stoi(text.substr(0, dot));
    gpu.compute_minor = text[dot + 1] - '0';
}

bool flag_of(const Element& value, const std::string& field) {
    if (!value.is_bool()) refuse(field, "is neither true nor false");
    return bool(value);
}

template <class Type>
Type parsed_or_refused(Expected<Type> parsed, const std::string& field) {
    if (!parsed) refuse(field, parsed.error().what);
    return *std::move(parsed);
}

SimulatedLink link_of(const Fields& fields) {
    const std::string within = "machine.links.";
    only(fields, within, {"from", "to", "bytes_per_second", "latency_ns"});
    const auto number = [&](const char* name, std::int64_t least, std::int64_t most) {
        return number_of(required(fields, name, within), within + name, least, most);
    };
    constexpr int gpus_most = 1024;
    SimulatedLink link{.from = static_cast<int>(number("from", 0, gpus_most)),
                       .to = static_cast<int>(number("to", 0, gpus_most))};
    if (link.from == link.to) refuse(within + "to", "a GPU has no link to itself");
    if (fields.find("bytes_per_second")) link.bytes_per_second = number("bytes_per_second", 1, no_limit);
    if (fields.find("latency_ns")) link.latency_ns = number("latency_ns", 1, 1'000'000'000);
    return link;
}

Simulation machine_of(const Fields& fields) {
    only(fields, "machine.",
         {"driver", "driver_name", "boot", "clock", "peer_access", "host_memory_bytes", "error_texts", "faults",
          "links", "planned_as_real"});
    Simulation simulation;
    auto& machine = simulation.machine;
    if (const auto* driver = fields.find("driver"))
        machine.driver_version = static_cast<int>(number_of(*driver, "machine.driver", 0, 1'000'000));
    if (const auto* name = fields.find("driver_name")) machine.driver_name = text_of(*name, "machine.driver_name");
    if (const auto* boot = fields.find("boot")) simulation.boot = text_of(*boot, "machine.boot");
    if (const auto* clock = fields.find("clock")) simulation.clock = text_of(*clock, "machine.clock");
    if (const auto* as_real = fields.find("planned_as_real"))
        simulation.planned_as_real = flag_of(*as_real, "machine.planned_as_real");
    if (const auto* access = fields.find("peer_access")) machine.peer_access = flag_of(*access, "machine.peer_access");
    if (const auto* bytes = fields.find("host_memory_bytes"))
        machine.host_memory_bytes = number_of(*bytes, "machine.host_memory_bytes", 0, no_limit);
    if (const auto* texts = fields.find("error_texts"))
        for (const auto& [code, text] : fields_of(*texts, "machine.error_texts"))
            machine.error_texts[code_of(code, "machine.error_texts.")] =
                text_of(text, "machine.error_texts." + std::string(code));
    if (const auto* faults = fields.find("faults"))
        for (const auto& fault : texts_of(*faults, "machine.faults"))
            machine.faults.push_back(parsed_or_refused(parse_fault(fault), "machine.faults"));
    if (const auto* links = fields.find("links")) {
        if (!links->is_array()) refuse("machine.links", "is not a list");
        for (const Element element : simdjson::dom::array(*links)) {
            const auto link = link_of(fields_of(element, "machine.links"));
            for (const auto& other : machine.links)
                if (other.from == link.from && other.to == link.to)
                    refuse("machine.links", "has two links from GPU " + std::to_string(link.from) + " to GPU " +
                                                std::to_string(link.to));
            machine.links.push_back(link);
        }
    }
    return simulation;
}

std::string shortest(double number) {
    std::array<char, 32> text{};
    return {text.data(), std::to_chars(text.data(), text.data() + text.size(), number).ptr};
}

void read_conditions(const Fields& fields, SimulatedGpu& gpu) {
    for (const auto& condition : gpu_conditions) {
        const std::string name(condition.name);
        if (const auto* found = fields.find(name))
            gpu.*condition.member = number_of(*found, name, condition.least, condition.most);
    }
}

void read_variations(const Fields& fields, SimulatedGpu& gpu) {
    for (const auto& variation : gpu_variations) {
        const std::string name(variation.name);
        const auto* found = fields.find(name);
        if (!found) continue;
        const double value = found->is_number() ? double(*found) : variation.most + 1;
        if (!(value >= variation.least && value <= variation.most))
            refuse(name, "is not a number between " + shortest(variation.least) + " and " + shortest(variation.most));
        gpu.*variation.member = value;
    }
}

GpuProfile profile_of(const Fields& fields) {
    std::vector<std::string> names{
        "name", "compute_capability", "figures", "attributes", "telemetry", "sources", "unknown", "machine"};
    for (const auto& condition : gpu_conditions) names.emplace_back(condition.name);
    for (const auto& variation : gpu_variations) names.emplace_back(variation.name);
    only(fields, "", names);
    GpuProfile profile;
    auto& gpu = profile.gpu;
    gpu.name = text_of(required(fields, "name"), "name");
    read_compute_capability(required(fields, "compute_capability"), gpu);
    read_figures(fields_of(required(fields, "figures"), "figures"), profile);
    if (const auto* attributes = fields.find("attributes"))
        for (const auto& [number, value] : fields_of(*attributes, "attributes"))
            gpu.attributes[code_of(number, "attributes.")] =
                static_cast<int>(number_of(value, "attributes." + std::string(number), std::numeric_limits<int>::min(),
                                           std::numeric_limits<int>::max()));
    read_conditions(fields, gpu);
    read_variations(fields, gpu);
    if (const auto* telemetry = fields.find("telemetry"))
        for (const auto& line : texts_of(*telemetry, "telemetry"))
            gpu.telemetry.push_back(parsed_or_refused(parse_telemetry(line), "telemetry"));
    if (const auto* sources = fields.find("sources"))
        for (const auto& [document, figures] : fields_of(*sources, "sources"))
            profile.sources.push_back({std::string(document), names_of_figures(figures, "sources")});
    if (const auto* unknown = fields.find("unknown")) profile.unknown = names_of_figures(*unknown, "unknown");
    for (const auto& name : profile.unknown)
        if (std::ranges::find(profile.figures, name) != profile.figures.end())
            refuse("unknown", "'" + name + "' has a value in figures; leave it out here");
    if (const auto* machine = fields.find("machine")) profile.machine = machine_of(fields_of(*machine, "machine"));
    return profile;
}

}  // namespace

Expected<GpuProfile> gpu_profile(std::string_view text, const std::string& file) {
    auto profile = dom::parsed<GpuProfile>(text, profile_of);
    if (!profile) return problem(file + ": " + profile.error().what);
    return profile;
}

}  // namespace tocuda
