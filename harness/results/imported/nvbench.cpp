// tocuda, Apache-2.0.
// nvbench --json (and --jsonbin, without its binary files), JSON version 1. Checked against its json_printer.cu and its
// python/scripts/test_ref.json.
#include <fmt/core.h>

#include <array>
#include <cmath>

#include "imported/tool_file.hpp"
#include "model/words.hpp"

namespace tocuda::imported {
namespace {

// A row is the mean of all samples of a state; how they were taken is a parameter. Single samples are not in the file.
struct Way {
    std::string_view tag;
    std::string_view samples;
    const char* name;
    Clock clock;
    const char* is;
};
constexpr std::array ways{
    Way{"nv/cold/time/gpu/mean", "nv/cold/sample_size", "cold", Clock::device, "mean of isolated runs"},
    Way{"nv/batch/time/gpu/mean", "nv/batch/sample_size", "batch", Clock::device, "mean of a batch of runs"},
    Way{"nv/cpu_only/time/cpu/mean", "nv/cpu_only/sample_size", "cpu", Clock::host, "mean of runs on the CPU"},
};

// Rates are of the isolated runs.
constexpr std::string_view byte_rate = "nv/cold/bw/global/bytes_per_second";
constexpr std::string_view item_rate = "nv/cold/bw/item_rate";

class NvbenchStates {
public:
    NvbenchStates(ToolFile& imported, const Document& json) : file(imported), document(json) {}

    void read(const Object& of) {
        name = "nvbench/" + text(of, "name");
        each(document, of, "states", [&](const Element& one, std::size_t) { read_state(object_in(one)); });
    }

private:
    void read_state(const Object& of) {
        Parameters parameters;
        if (find(of, "axis_values"))
            each(document, of, "axis_values",
                 [&](const Element& one, std::size_t) { add_axis(object_in(one), parameters); });
        std::string gpu;
        if (const auto device = whole_if_any(of, "device")) gpu = gpu_at(file, static_cast<int>(*device));
        bool skipped = false;
        if (const auto found = find(of, "is_skipped")) std::ignore = found->get(skipped);
        const auto before = file.rows.size();
        if (skipped)
            file.rows.push_back(untimed(name, parameters, Status::skipped,
                                        text_if_any(of, "skip_reason").value_or("nvbench gives no reason")));
        else if (find(of, "summaries")) read_summaries(of, parameters);
        if (file.rows.size() == before)
            file.rows.push_back(untimed(name, parameters, Status::invalid, "it has no time that is known"));
        for (auto row = before; row < file.rows.size(); ++row) file.rows[row].samples.gpu = gpu;
    }

    static void add_axis(const Object& of, Parameters& parameters) {
        const auto value = text(of, "value");
        const auto type = text(of, "type");
        Value held = value;
        if (type == "int64")
            if (const auto whole = whole_number(value)) held = *whole;
        if (type == "float64")
            if (const auto number = number_in(value)) held = *number;
        parameters[text(of, "name")] = held;
    }

    void read_summaries(const Object& of, const Parameters& parameters) {
        std::map<std::string, double, std::less<>> values;
        each(document, of, "summaries", [&](const Element& one, std::size_t) {
            const auto summary = object_in(one);
            const auto tag = text(summary, "tag");
            if (!find(summary, "data")) return;
            each(document, summary, "data", [&](const Element& data, std::size_t) {
                const auto held = object_in(data);
                if (text(held, "name") == "value" && text(held, "type") != "string")
                    values[tag] = number(held, "value");
            });
        });
        const auto value = [&](std::string_view tag) {
            const auto found = values.find(tag);
            return found == values.end() ? 0 : found->second;
        };
        for (const auto& way : ways) {
            if (!values.contains(way.tag)) continue;
            const auto seconds = value(way.tag);
            auto with = parameters;
            with["timed"] = way.name;
            auto row = timed(name, std::move(with), way.clock, seconds, {seconds, "s", way.is});
            if (row.samples.status != Status::ok) {
                file.rows.push_back(std::move(row));
                continue;
            }
            row.samples.batch = std::max<std::int64_t>(1, static_cast<std::int64_t>(value(way.samples)));
            const auto of_cold = value(ways[0].tag);
            row.samples.bytes_touched = counted(value(byte_rate) * of_cold);
            if (row.samples.bytes_touched == 0) row.samples.items = counted(value(item_rate) * of_cold);
            file.rows.push_back(std::move(row));
        }
    }

    static std::int64_t counted(double number) {
        return number > 0 && number < 0x1p62 ? static_cast<std::int64_t>(std::round(number)) : 0;
    }

    ToolFile& file;
    const Document& document;
    std::string name{};
};

}  // namespace

ToolFile read_nvbench(const Document& document) {
    ToolFile file{.tool = "nvbench", .on_gpu = true, .clock = Clock::device};
    inside(document.root(), "meta", [&](const Object& meta) {
        inside(meta, "version", [&](const Object& version) {
            inside(version, "json", [&](const Object& of) {
                if (whole(of, "major") != 1) expect("major", "version 1 of nvbench's JSON");
            });
            inside(version, "nvbench", [&](const Object& of) { file.version = text_if_any(of, "string"); });
        });
    });
    if (find(document.root(), "devices"))
        each(document, document.root(), "devices", [&](const Element& one, std::size_t) {
            const auto of = object_in(one);
            const auto index = static_cast<int>(whole(of, "id"));
            gpu_at(file, index);
            auto& gpu = file.gpus[index];
            gpu.name = text_if_any(of, "name");
            gpu.memory_bytes = whole_if_any(of, "global_memory_size");
            if (const auto sm = whole_if_any(of, "sm_version"))
                gpu.compute_capability = fmt::format("{}.{}", *sm / 100, *sm % 100 / 10);
        });
    NvbenchStates reader(file, document);
    each(document, document.root(), "benchmarks",
         [&](const Element& one, std::size_t) { reader.read(object_in(one)); });
    file.unavailable = {{"time", "nvbench's JSON has none"}};
    return file;
}

}  // namespace tocuda::imported
