// tocuda, Apache-2.0.
// Reads a profile field by field; refuses unknown fields and suggests the nearest known one.
#include "lines/profile.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>

#include "lines/fault_text.hpp"
#include "lines/json.hpp"
#include "lines/telemetry_text.hpp"
#include "model/nearest.hpp"
#include "model/words.hpp"

namespace tocuda {
namespace {

using json::Json;
using json::Malformed;

[[noreturn]] void refuse(const std::string& field, const std::string& what) { throw Malformed(field + ": " + what); }

void only(const Json& object, const std::string& within, const std::vector<std::string>& names) {
    for (const auto& [name, value] : object.items())
        if (std::ranges::find(names, name) == names.end())
            refuse(within + name,
                   "is unknown" + suggestion(name, names) + "; `tocuda __simulation --fields` lists all");
}

const Json& object_of(const Json& value, const std::string& field) {
    if (!value.is_object()) refuse(field, "is not an object");
    return value;
}

std::string text_of(const Json& value, const std::string& field) {
    if (!value.is_string()) refuse(field, "is not a string");
    auto text = value.get<std::string>();
    // The simulator reads lines, and run lines with control characters are refused.
    if (text.empty() || has_control_characters(text))
        refuse(field, "is empty or contains a line break or another control character");
    return text;
}

std::int64_t number_of(const Json& value, const std::string& field, std::int64_t least, std::int64_t most) {
    if (!value.is_number_integer()) refuse(field, "is not a whole number");
    // A number of more than 63 bits is stored unsigned and would be returned as negative.
    const bool too_large = value.is_number_unsigned() && value.get<std::uint64_t>() > static_cast<std::uint64_t>(most);
    if (too_large || value.get<std::int64_t>() < least || value.get<std::int64_t>() > most)
        refuse(field, "is not between " + std::to_string(least) + " and " + std::to_string(most));
    return value.get<std::int64_t>();
}

int code_of(const std::string& key, const std::string& field) {
    const auto number = whole_number<int>(key);
    if (!number || *number < 0) refuse(field + key, "the key is not a whole number from 0");
    return *number;
}

const Json& required(const Json& object, const char* name, const std::string& within = "") {
    const auto found = object.find(name);
    if (found == object.end()) refuse(within + name, "is missing");
    return *found;
}

std::vector<std::string> figure_names() {
    std::vector<std::string> names;
    for (const auto& figure : gpu_figures) names.emplace_back(figure.name);
    return names;
}

void read_figures(const Json& object, GpuProfile& profile) {
    only(object, "figures.", figure_names());
    for (const auto& figure : gpu_figures) {
        const std::string name(figure.name);
        const auto found = object.find(name);
        if (found == object.end()) continue;
        profile.gpu.*figure.member = number_of(*found, "figures." + name, figure.least, figure.most);
        profile.figures.push_back(name);
    }
    for (const char* name : {"memory_bytes", "multiprocessors"}) required(object, name, "figures.");
}

std::vector<std::string> names_of_figures(const Json& value, const std::string& field) {
    if (!value.is_array()) refuse(field, "is not a list");
    std::vector<std::string> names;
    for (const auto& element : value) {
        const auto name = text_of(element, field);
        const auto known = figure_names();
        const bool is_figure = name == "compute_capability" || std::ranges::find(known, name) != known.end();
        if (!is_figure) refuse(field, "'" + name + "' is not a figure" + suggestion(name, known));
        names.push_back(name);
    }
    return names;
}

// "9.0"
void read_compute_capability(const Json& value, SimulatedGpu& gpu) {
    const auto text = text_of(value, "compute_capability");
    const auto dot = text.find('.');
    const bool digits = text.find_first_not_of("0123456789.") == std::string::npos;
    const bool formed =
        digits && dot != std::string::npos && dot > 0 && dot < 4 && text.size() == dot + 2 && text[dot + 1] != '.';
    if (!formed) refuse("compute_capability", "is not of the form \"9.0\"");
    gpu.compute_major = std::stoi(text.substr(0, dot));
    gpu.compute_minor = text[dot + 1] - '0';
}

bool flag_of(const Json& value, const std::string& field) {
    if (!value.is_boolean()) refuse(field, "is neither true nor false");
    return value.get<bool>();
}

std::vector<std::string> texts_of(const Json& value, const std::string& field) {
    if (!value.is_array()) refuse(field, "is not a list");
    std::vector<std::string> texts;
    for (const auto& element : value) texts.push_back(text_of(element, field));
    return texts;
}

template <class Type>
Type parsed_or_refused(Parsed<Type> parsed, const std::string& field) {
    if (!parsed) refuse(field, parsed.wrong);
    return *std::move(parsed.value);
}

Simulation machine_of(const Json& object) {
    only(object, "machine.",
         {"driver", "driver_name", "boot", "clock", "peer_access", "host_memory_bytes", "error_texts", "faults"});
    Simulation simulation;
    auto& machine = simulation.machine;
    if (object.contains("driver"))
        machine.driver_version = static_cast<int>(number_of(object["driver"], "machine.driver", 0, 1'000'000));
    if (object.contains("driver_name")) machine.driver_name = text_of(object["driver_name"], "machine.driver_name");
    if (object.contains("boot")) simulation.boot = text_of(object["boot"], "machine.boot");
    if (object.contains("clock")) simulation.clock = text_of(object["clock"], "machine.clock");
    if (object.contains("peer_access")) machine.peer_access = flag_of(object["peer_access"], "machine.peer_access");
    if (object.contains("host_memory_bytes"))
        machine.host_memory_bytes = number_of(object["host_memory_bytes"], "machine.host_memory_bytes", 0, no_limit);
    if (object.contains("error_texts"))
        for (const auto& [code, text] : object_of(object["error_texts"], "machine.error_texts").items())
            machine.error_texts[code_of(code, "machine.error_texts.")] = text_of(text, "machine.error_texts." + code);
    if (object.contains("faults"))
        for (const auto& fault : texts_of(object["faults"], "machine.faults"))
            machine.faults.push_back(parsed_or_refused(parse_fault(fault), "machine.faults"));
    return simulation;
}

std::string shortest(double number) {
    std::array<char, 32> text{};
    return {text.data(), std::to_chars(text.data(), text.data() + text.size(), number).ptr};
}

void read_variations(const Json& object, SimulatedGpu& gpu) {
    for (const auto& variation : gpu_variations) {
        const std::string name(variation.name);
        const auto found = object.find(name);
        if (found == object.end()) continue;
        const double value = found->is_number() ? found->get<double>() : variation.most + 1;
        if (!(value >= variation.least && value <= variation.most))
            refuse(name, "is not a number between " + shortest(variation.least) + " and " + shortest(variation.most));
        gpu.*variation.member = value;
    }
}

GpuProfile profile_of(const Json& object) {
    std::vector<std::string> names{
        "name", "compute_capability", "figures", "attributes", "telemetry", "sources", "unknown", "machine"};
    for (const auto& variation : gpu_variations) names.emplace_back(variation.name);
    only(object, "", names);
    GpuProfile profile;
    auto& gpu = profile.gpu;
    gpu.name = text_of(required(object, "name"), "name");
    read_compute_capability(required(object, "compute_capability"), gpu);
    read_figures(object_of(required(object, "figures"), "figures"), profile);
    if (object.contains("attributes"))
        for (const auto& [number, value] : object_of(object["attributes"], "attributes").items())
            gpu.attributes[code_of(number, "attributes.")] = static_cast<int>(number_of(
                value, "attributes." + number, std::numeric_limits<int>::min(), std::numeric_limits<int>::max()));
    read_variations(object, gpu);
    if (object.contains("telemetry"))
        for (const auto& line : texts_of(object["telemetry"], "telemetry"))
            gpu.telemetry.push_back(parsed_or_refused(parse_telemetry(line), "telemetry"));
    if (object.contains("sources"))
        for (const auto& [document, figures] : object_of(object["sources"], "sources").items())
            profile.sources.push_back({document, names_of_figures(figures, "sources")});
    if (object.contains("unknown")) profile.unknown = names_of_figures(object["unknown"], "unknown");
    for (const auto& name : profile.unknown)
        if (std::ranges::find(profile.figures, name) != profile.figures.end())
            refuse("unknown", "'" + name + "' has a value in figures");
    if (object.contains("machine")) profile.machine = machine_of(object_of(object["machine"], "machine"));
    return profile;
}

}  // namespace

Parsed<GpuProfile> gpu_profile(std::string_view text, const std::string& file) {
    try {
        return {profile_of(json::object(text)), {}};
    } catch (const Malformed& malformed) {
        return {std::nullopt, file + ": " + malformed.what()};
    } catch (const Json::exception& exception) {
        return {std::nullopt, file + ": " + exception.what()};
    }
}

}  // namespace tocuda
