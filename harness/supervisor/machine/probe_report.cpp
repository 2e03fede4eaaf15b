// tocuda, Apache-2.0.
// Writes and parses the probe's report. One table of fields serves both directions.
#include "machine/probe_report.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <concepts>
#include <iterator>
#include <type_traits>

#include "machine/pci_address.hpp"
#include "machine/text_file.hpp"
#include "model/words.hpp"

namespace tocuda {
namespace {

constexpr std::string_view first_line = "probe 1";
constexpr std::string_view last_line = "done";
constexpr int gpus_max = 1024;

void write(std::string& text, const std::string& key, const std::optional<std::string>& value) {
    if (!value) return;
    std::string line = key + " " + *value;
    std::ranges::replace_if(line, [](char letter) { return letter == '\n' || letter == '\r'; }, ' ');
    text += line + "\n";
}
template <std::integral Integer>
void write(std::string& text, const std::string& key, const std::optional<Integer>& value) {
    if (value) text += key + " " + std::to_string(static_cast<std::int64_t>(*value)) + "\n";
}
void write(std::string& text, const std::string& key, const std::optional<double>& value) {
    if (value) text += key + " " + std::to_string(*value) + "\n";
}

bool read(std::string_view word, std::optional<std::string>& value) {
    value = std::string(word);
    return true;
}
bool read(std::string_view word, std::optional<bool>& value) {
    if (word != "0" && word != "1") return false;
    value = word == "1";
    return true;
}
template <std::integral Integer>
bool read(std::string_view word, std::optional<Integer>& value) {
    const auto number = whole_number<Integer>(word);
    if (number) value = number;
    return number.has_value();
}
bool read(std::string_view word, std::optional<double>& value) {
    double number = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (error != std::errc{} || end != word.data() + word.size() || !std::isfinite(number)) return false;
    value = number;
    return true;
}

// Calls `each` with the name and the member of every optional field.
template <class Report, class Each>
void for_report_fields(Report& report, Each each) {
    each("doing", report.doing);
    each("library", report.library);
    each("init", report.init);
    each("version", report.version);
    each("devices", report.devices);
    each("simulated", report.simulated);
    each("nvml_library", report.nvml_library);
    each("nvml_driver", report.nvml_driver);
    each("nvml_devices", report.nvml_devices);
    each("nvml_init", report.nvml_init);
    each("confidential", report.confidential);
    each("gsp_firmware", report.gsp_firmware);
    each("pageable_access", report.pageable_access);
    each("confidential_ready", report.confidential_ready);
}

template <class AnyGpu, class Each>
    requires std::same_as<std::remove_const_t<AnyGpu>, Gpu>
void for_fields(AnyGpu& gpu, Each each) {
    for_each_field(gpu, gpu_fields, each);
    for_each_field(gpu.pcie, link_fields,
                   [&](const char* name, auto& member) { each(std::string("pcie.") + name, member); });
}
template <class AnyGpu, class Each>
    requires std::same_as<std::remove_const_t<AnyGpu>, CudaGpu>
void for_fields(AnyGpu& gpu, Each each) {
    for_each_field(gpu, cuda_gpu_fields, each);
}
template <class AnyGpu, class Each>
    requires std::same_as<std::remove_const_t<AnyGpu>, GpuHealth>
void for_fields(AnyGpu& gpu, Each each) {
    for_each_field(gpu, gpu_health_fields, each);
}
template <class AnyNode, class Each>
    requires std::same_as<std::remove_const_t<AnyNode>, NodeAnswer>
void for_fields(AnyNode& node, Each each) {
    for_each_field(node, node_fields, each);
}

// Calls `each` with the key and the list of everything that is reported by index.
template <class Report, class Each>
void for_lists(Report& report, Each each) {
    each("gpu", report.gpus);
    each("cuda_gpu", report.cuda_gpus);
    each("nvml_gpu", report.nvml_gpus);
    each("mig_instance", report.mig_instances);
    each("node", report.nodes);
}

// Splits "first rest"; the rest is empty if there is no space.
std::pair<std::string_view, std::string_view> split(std::string_view line) {
    const auto space = line.find(' ');
    if (space == std::string_view::npos) return {line, {}};
    return {line.substr(0, space), line.substr(space + 1)};
}

template <class Item>
bool read_item(std::string_view line, std::vector<Item>& list) {
    const auto [number, rest] = split(line);
    const auto [key, value] = split(rest);
    const auto index = whole_number<int>(number);
    if (!index || *index < 0 || *index >= gpus_max) return false;
    auto item = std::ranges::find(list, *index, &Item::index);
    if (item == list.end()) item = list.insert(item, Item{.index = *index});
    if (key == "seen") return true;
    bool understood = false;
    for_fields(*item, [&, key = key, value = value](std::string_view name, auto& member) {
        if (name == key) understood = read(value, member);
    });
    return understood;
}

bool read_line(std::string_view line, ProbeReport& report) {
    const auto [key, value] = split(line);
    if (key == "unavailable") {
        const auto [field, cause] = split(value);
        report.unavailable.push_back({std::string(field), std::string(cause)});
        return !field.empty();
    }
    if (key == "init_text") {
        report.init_text = value;
        return true;
    }
    bool understood = false;
    for_report_fields(report, [&, key = key, value = value](std::string_view name, auto& member) {
        if (name == key) understood = read(value, member);
    });
    for_lists(report, [&, key = key, value = value](std::string_view name, auto& list) {
        if (name == key) understood = read_item(value, list);
    });
    return understood;
}

// The run line has no field for NVML itself.
bool is_field_of_run_line(const Unavailable& missing) { return !missing.field.starts_with("nvml"); }

bool is_missing(const RunLine& line, const std::string& field) {
    return std::ranges::find(line.unavailable, field, &Unavailable::field) != line.unavailable.end();
}

}  // namespace

void add_value(std::optional<std::string>& all, const std::string& one) {
    if (!all) all = one;
    else if ((", " + *all + ", ").find(", " + one + ", ") == std::string::npos) *all += ", " + one;
}

const GpuHealth* health_of(const ProbeReport& report, const CudaGpu& gpu) {
    const auto found = std::ranges::find_if(
        report.nvml_gpus, [&](const GpuHealth& one) { return same_place(one.pci.value_or(""), gpu.pci.value_or("")); });
    return found == report.nvml_gpus.end() ? nullptr : &*found;
}

std::vector<int> used_gpus(const ProbeReport& report) {
    std::vector<int> used;
    for (const auto& gpu : report.cuda_gpus) {
        const auto* health = health_of(report, gpu);
        if (health && health->processes.value_or(0) > 0) used.push_back(gpu.index);
    }
    return used;
}

std::string text_of(const ProbeReport& report) {
    std::string text = std::string(first_line) + "\n";
    for_report_fields(report, [&](const char* name, const auto& member) { write(text, name, member); });
    if (!report.init_text.empty()) write(text, "init_text", std::optional(report.init_text));
    for_lists(report, [&](const std::string& key, const auto& list) {
        for (const auto& item : list) {
            const auto begin = key + " " + std::to_string(item.index) + " ";
            text += begin + "seen\n";
            for_fields(item, [&](const std::string& name, const auto& member) { write(text, begin + name, member); });
        }
    });
    for (const auto& missing : report.unavailable)
        write(text, "unavailable " + missing.field, std::optional(missing.cause));
    if (report.finished) text += std::string(last_line) + "\n";
    return text;
}

ProbeReport probe_report_of(std::string_view text) {
    ProbeReport report;
    const auto lines = lines_of(text);
    if (lines.empty() || lines[0] != first_line) {
        report.unavailable.push_back({"probe", lines.empty() ? "the probe reported nothing"
                                                             : "the probe's report does not start with 'probe 1'"});
        return report;
    }
    for (std::size_t i = 1; i < lines.size(); ++i) {
        if (lines[i] == first_line) continue;
        if (lines[i] == last_line && i + 1 == lines.size()) report.finished = true;
        else if (!read_line(lines[i], report))
            report.unavailable.push_back(
                {"probe", "line " + std::to_string(i + 1) + " of the probe's report cannot be parsed"});
    }
    return report;
}

std::string cuda_version_text(int version) {
    return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

void add_facts(RunLine& line, const Facts& facts) {
    line.machine = facts.machine;
    line.driver = facts.driver;
    line.boot = facts.boot;
    line.driver_loaded = facts.driver_loaded;
    line.unavailable.insert(line.unavailable.end(), facts.unavailable.begin(), facts.unavailable.end());
}

void add_probe(RunLine& line, const ProbeReport& report, const std::string& how_it_ended) {
    line.gpus = report.gpus;
    line.machine.confidential_computing = report.confidential;
    line.driver.gsp_firmware = report.gsp_firmware;
    line.driver.pageable_access = report.pageable_access;
    if (report.version && *report.version > 0) line.driver.cuda = cuda_version_text(*report.version);
    if (!line.driver.kernel_module && report.nvml_driver) {
        line.driver.kernel_module = report.nvml_driver;
        std::erase_if(line.unavailable,
                      [](const Unavailable& missing) { return missing.field == "driver.kernel_module"; });
    }
    std::ranges::copy_if(report.unavailable, std::back_inserter(line.unavailable), is_field_of_run_line);
    if (!report.finished) {
        const auto cause = "the probe of the driver " + how_it_ended + " while " + report.doing.value_or("starting");
        if (!line.driver.cuda && !is_missing(line, "driver.cuda")) line.unavailable.push_back({"driver.cuda", cause});
        line.unavailable.push_back({"gpus", cause});
    }
    const auto name_missing = [&](bool missing, const char* field, const char* cause) {
        if (missing && !is_missing(line, field)) line.unavailable.push_back({field, cause});
    };
    name_missing(!line.driver.cuda, "driver.cuda", "the driver reports no version");
    constexpr const char* not_asked = "no GPU could be asked";
    name_missing(!line.driver.gsp_firmware, "driver.gsp_firmware", not_asked);
    name_missing(!line.driver.pageable_access, "driver.pageable_access", not_asked);
    name_missing(!line.machine.confidential_computing, "machine.confidential_computing", not_asked);
}

}  // namespace tocuda
