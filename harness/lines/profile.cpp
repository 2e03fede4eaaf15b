// tocuda, Apache-2.0.
// Reads a profile field by field; fields that nobody knows are refused, the nearest known one is offered.
#include "lines/profile.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <regex>

#include "lines/json.hpp"
#include "model/nearest.hpp"

namespace tocuda {
namespace {

using json::Json;
using json::Malformed;

[[noreturn]] void refuse(const std::string& field, const std::string& what) { throw Malformed(field + ": " + what); }

void only(const Json& object, const std::string& within, const std::vector<std::string>& names) {
    for (const auto& [name, value] : object.items())
        if (std::ranges::find(names, name) == names.end()) refuse(within + name, "is not known here" + suggestion(name, names));
}

const Json& object_of(const Json& value, const std::string& field) {
    if (!value.is_object()) refuse(field, "is no object");
    return value;
}

std::string text_of(const Json& value, const std::string& field) {
    if (!value.is_string()) refuse(field, "is no text");
    auto text = value.get<std::string>();
    // The simulated runtime reads lines, and begins a comment at a '#'. No run line with a control character can be read.
    if (text.empty() || has_control_characters(text) || text.find('#') != std::string::npos)
        refuse(field, "is empty, or has a line break, another control character or '#' in it");
    return text;
}

std::int64_t number_of(const Json& value, const std::string& field, std::int64_t least, std::int64_t most) {
    if (!value.is_number_integer()) refuse(field, "is no whole number");
    // A number beyond 63 bits is kept unsigned, and would come back negative.
    const bool too_large = value.is_number_unsigned() && value.get<std::uint64_t>() > static_cast<std::uint64_t>(most);
    if (too_large || value.get<std::int64_t>() < least || value.get<std::int64_t>() > most)
        refuse(field, "is not between " + std::to_string(least) + " and " + std::to_string(most));
    return value.get<std::int64_t>();
}

int code_of(const std::string& key, const std::string& field) {
    int number = 0;
    const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), number);
    if (error != std::errc{} || end != key.data() + key.size() || number < 0) refuse(field + key, "is named by no number");
    return number;
}

const Json& required(const Json& object, const char* name, const std::string& within = "") {
    const auto found = object.find(name);
    if (found == object.end()) refuse(within + name, "is missing");
    return *found;
}

void read_figures(const Json& object, GpuProfile& profile) {
    std::vector<std::string> names;
    for (const auto& known : known_figures) names.emplace_back(known.name);
    only(object, "figures.", names);
    for (const auto& known : known_figures) {
        const auto found = object.find(std::string(known.name));
        if (found == object.end()) continue;
        const std::string name(known.name);
        profile.figures[name] = number_of(*found, "figures." + name, known.least, known.most);
    }
    for (const char* name : {"memory_bytes", "multiprocessors"}) required(object, name, "figures.");
}

std::vector<std::string> names_of_figures(const Json& value, const std::string& field) {
    if (!value.is_array()) refuse(field, "is no list");
    std::vector<std::string> names;
    for (const auto& element : value) {
        const auto name = text_of(element, field);
        const bool known = name == "compute_capability" || std::ranges::find(known_figures, name, &KnownFigure::name) != known_figures.end();
        if (!known) refuse(field, "'" + name + "' is no figure");
        names.push_back(name);
    }
    return names;
}

std::string compute_capability_of(const Json& value) {
    const auto text = text_of(value, "compute_capability");
    const auto dot = text.find('.');
    const bool digits = text.find_first_not_of("0123456789.") == std::string::npos;
    if (!digits || dot == std::string::npos || dot == 0 || text.size() != dot + 2) refuse("compute_capability", "is not as in \"9.0\"");
    return text;
}

bool flag_of(const Json& value, const std::string& field) {
    if (!value.is_boolean()) refuse(field, "is neither true nor false");
    return value.get<bool>();
}

std::vector<std::string> texts_of(const Json& value, const std::string& field) {
    if (!value.is_array()) refuse(field, "is no list");
    std::vector<std::string> texts;
    for (const auto& element : value) texts.push_back(text_of(element, field));
    return texts;
}

bool is_count(const std::string& word) {
    return !word.empty() && word.size() < 10 && word.find_first_not_of("0123456789") == std::string::npos && std::stoi(word) > 0;
}

// "cudaMalloc 3 2 sticky": its third call answers error 2, and so does everything after it.
bool is_fault(const std::string& text) {
    std::istringstream words(text);
    std::string function, call, error, sticky, more;
    words >> function >> call >> error >> sticky >> more;
    return function.starts_with("cu") && is_count(call) && (is_count(error) || error == "hang") && (sticky.empty() || sticky == "sticky") && more.empty();
}

MachineNames machine_of(const Json& object) {
    only(object, "machine.",
         {"driver", "driver_name", "boot", "clock", "peer_access", "host_memory_bytes", "error_texts", "faults"});
    MachineNames machine;
    if (object.contains("driver")) machine.driver = static_cast<int>(number_of(object["driver"], "machine.driver", 0, 1'000'000));
    if (object.contains("driver_name")) machine.driver_name = text_of(object["driver_name"], "machine.driver_name");
    if (object.contains("boot")) machine.boot = text_of(object["boot"], "machine.boot");
    if (object.contains("clock")) machine.clock = text_of(object["clock"], "machine.clock");
    if (object.contains("peer_access")) machine.peer_access = flag_of(object["peer_access"], "machine.peer_access");
    if (object.contains("host_memory_bytes"))
        machine.host_memory_bytes = number_of(object["host_memory_bytes"], "machine.host_memory_bytes", 0, no_limit);
    if (object.contains("error_texts"))
        for (const auto& [code, text] : object_of(object["error_texts"], "machine.error_texts").items())
            machine.error_texts[code_of(code, "machine.error_texts.")] = text_of(text, "machine.error_texts." + code);
    if (object.contains("faults")) machine.faults = texts_of(object["faults"], "machine.faults");
    for (const auto& fault : machine.faults)
        if (!is_fault(fault)) refuse("machine.faults", "'" + fault + "' is not FUNCTION CALL ERROR|hang [sticky]");
    return machine;
}

std::string shortest(double number) {
    std::array<char, 32> text{};
    return {text.data(), std::to_chars(text.data(), text.data() + text.size(), number).ptr};
}

void read_variations(const Json& object, GpuProfile& profile) {
    for (const auto& known : known_variations) {
        const auto found = object.find(std::string(known.name));
        if (found == object.end()) continue;
        const double value = found->is_number() ? found->get<double>() : known.most + 1;
        if (!(value >= known.least && value <= known.most))
            refuse(std::string(known.name), "is no number between " + shortest(known.least) + " and " + shortest(known.most));
        profile.variations[std::string(known.name)] = value;
    }
}

// The simulated runtime would refuse the whole file; here the line can be named.
void check_telemetry(const std::string& line) {
    static const std::regex form(
        R"((?:(?:\d+|busy|work(?:\+\d+(?:\.\d+)?)?|\d+(?:\.\d+)?s|process=\d+)(?:,(?=\S)|(?= )))+ +(\S+) +(?:\d+|[a-z_]+(?:,[a-z_]+)*|\d+:\d+(?:,\d+:\d+)*))");
    std::smatch parts;
    if (!std::regex_match(line, parts, form)) refuse("telemetry", "'" + line + "' is not as in \"busy pcie_generation 5\"");
    const auto field = parts[1].str();
    if (std::ranges::find(known_telemetry, field) == known_telemetry.end())
        refuse("telemetry", "'" + field + "' is not known here" + suggestion(field, {known_telemetry.begin(), known_telemetry.end()}));
}

GpuProfile profile_of(const Json& object) {
    std::vector<std::string> names{"name", "compute_capability", "figures", "attributes", "telemetry", "sources", "unknown", "machine"};
    for (const auto& known : known_variations) names.emplace_back(known.name);
    only(object, "", names);
    GpuProfile profile;
    profile.name = text_of(required(object, "name"), "name");
    profile.compute_capability = compute_capability_of(required(object, "compute_capability"));
    read_figures(object_of(required(object, "figures"), "figures"), profile);
    if (object.contains("attributes"))
        for (const auto& [number, value] : object_of(object["attributes"], "attributes").items())
            profile.attributes[code_of(number, "attributes.")] =
                static_cast<int>(number_of(value, "attributes." + number, std::numeric_limits<int>::min(), std::numeric_limits<int>::max()));
    read_variations(object, profile);
    if (object.contains("telemetry")) profile.telemetry = texts_of(object["telemetry"], "telemetry");
    for (const auto& line : profile.telemetry) check_telemetry(line);
    if (object.contains("sources"))
        for (const auto& [document, figures] : object_of(object["sources"], "sources").items())
            profile.sources.push_back({document, names_of_figures(figures, "sources")});
    if (object.contains("unknown")) profile.unknown = names_of_figures(object["unknown"], "unknown");
    for (const auto& name : profile.unknown)
        if (profile.figure(name)) refuse("unknown", "'" + name + "' is among the figures");
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
