// tocuda, Apache-2.0.
// Writes and reads run and end lines. An unknown value is an absent field, never null.
#include "lines/run_line.hpp"

#include "lines/benchmark_json.hpp"
#include "lines/plan_json.hpp"
#include "lines/recorded_json.hpp"

namespace tocuda {
namespace {

using json::Json;
using json::put;

template <class Part, class List>
Json of_part(const Part& part, const List& list) {
    auto object = Json::object();
    for_each_field(part, list, [&](const char* name, const auto& value) { put(object, name, value); });
    return object;
}

template <class Part, class List>
void take_part(const dom::Fields& fields, const List& list, Part& part) {
    for_each_field(part, list, [&](const char* name, auto& value) { dom::take(fields, name, value); });
}

// The same for a named part that may be absent as a whole.
template <class Part, class List>
void take_named(const dom::Fields& fields, const char* name, const List& list, Part& part) {
    if (const auto named = dom::part_or_none(fields, name)) take_part(*named, list, part);
}

Json of_gpu(const Gpu& gpu) {
    Json object{{"index", gpu.index}};
    object.update(of_part(gpu, gpu_fields));
    object["pcie"] = of_part(gpu.pcie, link_fields);
    return object;
}

Gpu to_gpu(const dom::Fields& fields) {
    Gpu gpu{.index = dom::field<int>(fields, "index")};
    take_part(fields, gpu_fields, gpu);
    take_named(fields, "pcie", link_fields, gpu.pcie);
    return gpu;
}

Json of_suite(const Suite& suite) {
    Json object{{"version", suite.version}};
    put(object, "commit", suite.commit);
    object["dirty"] = suite.dirty;
    return object;
}

Suite to_suite(const dom::Fields& fields) {
    Suite suite{.version = dom::field<std::string>(fields, "version"),
                .commit = {},
                .dirty = dom::field_or<bool>(fields, "dirty", false)};
    dom::take(fields, "commit", suite.commit);
    return suite;
}

Json of_fleet(const Fleet& fleet) {
    return {{"launcher", fleet.launcher},
            {"rank", fleet.rank},
            {"size", fleet.size},
            {"local_rank", fleet.local_rank},
            {"node", fleet.node}};
}

Fleet to_fleet(const dom::Fields& fields) {
    return {dom::field<std::string>(fields, "launcher"), dom::amount<int>(fields, "rank"),
            dom::amount<int>(fields, "size"), dom::amount<int>(fields, "local_rank"),
            dom::field_or<std::string>(fields, "node", "")};
}

Json of_cuda(const RunLine& run) {
    auto object = of_part(run.cuda, cuda_fields);
    object["architectures"] = run.cuda.architectures;
    return object;
}

void take_software(const dom::Fields& fields, RunLine& run) {
    take_named(fields, "driver", driver_fields, run.driver);
    take_named(fields, "cuda", cuda_fields, run.cuda);
    if (const auto cuda = dom::part_or_none(fields, "cuda"))
        run.cuda.architectures = dom::texts_or_none(*cuda, "architectures");
    take_named(fields, "libtorch", libtorch_fields, run.libtorch);
}

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

RunLine to_run(const dom::Fields& fields) {
    dom::require_kind(fields, "run");
    RunLine run{.schema = dom::field<int>(fields, "schema"),
                .run = dom::field<std::string>(fields, "run"),
                .time = dom::field<std::string>(fields, "time"),
                .verb = dom::field<std::string>(fields, "verb"),
                .device = dom::device_field(fields),
                .session = dom::field<std::string>(fields, "session")};
    dom::take(fields, "boot", run.boot);
    dom::take(fields, "driver_loaded", run.driver_loaded);
    if (const auto suite = dom::part_or_none(fields, "suite")) run.suite = to_suite(*suite);
    take_named(fields, "machine", machine_fields, run.machine);
    take_software(fields, run);
    for (const auto& gpu : dom::parts_or_none(fields, "gpus")) run.gpus.push_back(to_gpu(gpu));
    if (const auto fleet = dom::part_or_none(fields, "fleet")) run.fleet = to_fleet(*fleet);
    if (const auto protocol = dom::part_or_none(fields, "protocol")) run.protocol = dom::to_protocol(*protocol);
    run.seed = dom::field_or<std::uint64_t>(fields, "seed", 0);
    for (const auto& argument : dom::texts_or_none(fields, "command")) run.command.push_back(visible_lines(argument));
    dom::take(fields, "resumes", run.resumes);
    if (const auto plan = dom::part_or_none(fields, "plan"))
        run.plan = std::make_shared<const Plan>(dom::to_plan(*plan));
    for (const auto& missing : dom::parts_or_none(fields, "unavailable"))
        run.unavailable.push_back({dom::field<std::string>(missing, "field"), dom::visible_field(missing, "cause")});
    return run;
}

}  // namespace

json::Json json::about(const RunLine& run) {
    Json object{{"schema", run.schema},       {"run", run.run},        {"time", run.time}, {"verb", run.verb},
                {"device", word(run.device)}, {"session", run.session}};
    put(object, "boot", run.boot);
    put(object, "driver_loaded", run.driver_loaded);
    object["suite"] = of_suite(run.suite);
    object["machine"] = of_part(run.machine, machine_fields);
    object["driver"] = of_part(run.driver, driver_fields);
    object["cuda"] = of_cuda(run);
    object["libtorch"] = of_part(run.libtorch, libtorch_fields);
    object["gpus"] = Json::array();
    for (const auto& gpu : run.gpus) object["gpus"].push_back(of_gpu(gpu));
    if (run.fleet) object["fleet"] = of_fleet(*run.fleet);
    if (run.protocol) object["protocol"] = json::of_protocol(*run.protocol);
    object["seed"] = run.seed;
    object["command"] = run.command;
    put(object, "resumes", run.resumes);
    object["unavailable"] = Json::array();
    for (const auto& [field, cause] : run.unavailable)
        object["unavailable"].push_back({{"field", field}, {"cause", cause}});
    return object;
}

std::string to_line(const RunLine& run) {
    Json object{{"kind", "run"}};
    object.update(json::about(run));
    if (run.plan) object["plan"] = json::of_plan(*run.plan);
    return json::text(object);
}

std::string to_line(const EndLine& end) {
    return json::text({{"kind", "end"}, {"status", end.status}, {"rows", end.rows}, {"sha256", end.sha256}});
}

Expected<RunLine> run_line(std::string_view line) {
    return dom::parsed<RunLine>(line, [](const dom::Fields& fields) {
        refuse_control_characters_in(fields);
        return to_run(fields);
    });
}

Expected<EndLine> end_line(std::string_view line) {
    return dom::parsed<EndLine>(line, [](const dom::Fields& fields) {
        refuse_control_characters_in(fields);
        return EndLine{dom::field<std::string>(fields, "status"), dom::field<int>(fields, "rows"),
                       dom::field<std::string>(fields, "sha256")};
    });
}

}  // namespace tocuda
