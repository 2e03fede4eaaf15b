// tocuda, Apache-2.0.
// Writes and reads run and end lines. An unknown value is an absent field, never null.
#include "json_lines/lines.hpp"
#include "json_lines/model_fields.hpp"
#include "json_lines/recorded_json.hpp"

namespace tocuda {
namespace {

// Commands and causes may contain any bytes; their control characters are replaced when they are read.
bool is_free_text(std::string_view name) { return name == "command" || name == "cause"; }

void refuse_control_characters_in(const dom::Element& value, std::string_view name) {
    if (value.is_string()) dom::refuse_control_characters(dom::as<std::string_view>(value, name), name);
    if (value.is_object())
        for (const auto field : simdjson::dom::object(value))
            if (!is_free_text(field.key)) refuse_control_characters_in(field.value, field.key);
    if (value.is_array())
        for (const dom::Element element : simdjson::dom::array(value)) refuse_control_characters_in(element, name);
}

void refuse_control_characters_in(const dom::Fields& fields) {
    for (const auto& [name, value] : fields)
        if (!is_free_text(name)) refuse_control_characters_in(value, name);
}

}  // namespace

// Fields that this version does not list are ignored.
template <class Part>
void fields_of_list(auto& io, Part& part, const auto& list) {
    for_each_field(part, list, [&](const char* name, auto& value) { io(name, value); });
}

void fields(auto& io, Of<PcieLink> auto& link) { fields_of_list(io, link, link_fields); }
void fields(auto& io, Of<Machine> auto& machine) { fields_of_list(io, machine, machine_fields); }
void fields(auto& io, Of<Driver> auto& driver) { fields_of_list(io, driver, driver_fields); }
void fields(auto& io, Of<LibTorch> auto& libtorch) { fields_of_list(io, libtorch, libtorch_fields); }

void fields(auto& io, Of<Cuda> auto& cuda) {
    fields_of_list(io, cuda, cuda_fields);
    io.or_else("architectures", cuda.architectures);
}

void fields(auto& io, Of<Gpu> auto& gpu) {
    io("index", gpu.index);
    fields_of_list(io, gpu, gpu_fields);
    io.or_else("pcie", gpu.pcie);
}

void fields(auto& io, Of<Suite> auto& suite) {
    io("version", suite.version);
    io("commit", suite.commit);
    io.or_else("dirty", suite.dirty);
}

void fields(auto& io, Of<Fleet> auto& fleet) {
    io("launcher", fleet.launcher);
    io("rank", fleet.rank, As::amount);
    io("size", fleet.size, As::amount);
    io("local_rank", fleet.local_rank, As::amount);
    io.or_else("node", fleet.node);
}

void fields(auto& io, Of<Unavailable> auto& missing) {
    io("field", missing.field);
    io("cause", missing.cause, As::shown);
}

void fields(auto& io, Of<Import> auto& imported) {
    io("tool", imported.tool);
    io("version", imported.version);
    io("file", imported.file);
    io("sha256", imported.sha256);
    io("convention", imported.convention, As::amount);
}

void fields(auto& io, Of<RunLine> auto& run) {
    io("schema", run.schema);
    io("run", run.run);
    io("time", run.time);
    io("verb", run.verb);
    io("device", run.device);
    io("session", run.session);
    io("boot", run.boot);
    io("driver_loaded", run.driver_loaded);
    io.or_else("suite", run.suite);
    io.or_else("machine", run.machine);
    io.or_else("driver", run.driver);
    io.or_else("cuda", run.cuda);
    io.or_else("libtorch", run.libtorch);
    io.or_else("gpus", run.gpus);
    io("fleet", run.fleet);
    io.unless_empty("labels", run.labels);
    io("protocol", run.protocol);
    io.or_else("seed", run.seed);
    io.or_else("command", run.command, As::lines);
    io("resumes", run.resumes);
    io("imported", run.imported);
    io.or_else("unavailable", run.unavailable);
}

void fields(auto& io, Of<EndLine> auto& end) {
    io("status", end.status);
    io("rows", end.rows);
    io("sha256", end.sha256);
}

json::Json json::about(const RunLine& run) { return of(run); }

std::string to_line(const RunLine& run) {
    json::Json object{{"kind", "run"}};
    object.update(json::about(run));
    if (run.plan) object["plan"] = json::of(*run.plan);
    return json::text(object);
}

std::string to_line(const EndLine& end) { return json::line("end", end); }

Expected<RunLine> run_line(std::string_view line) {
    return dom::parsed<RunLine>(line, [](const dom::Fields& from) {
        refuse_control_characters_in(from);
        dom::Reader io(from);
        io.constant("kind", "run");
        auto run = dom::to<RunLine>(from);
        std::optional<Plan> plan;
        io("plan", plan);
        if (plan) run.plan = std::make_shared<const Plan>(std::move(*plan));
        return run;
    });
}

Expected<EndLine> end_line(std::string_view line) {
    return dom::parsed<EndLine>(line, [](const dom::Fields& from) {
        refuse_control_characters_in(from);
        return dom::to<EndLine>(from);
    });
}

}  // namespace tocuda
