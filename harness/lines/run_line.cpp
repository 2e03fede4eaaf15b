// tocuda, Apache-2.0.
// The run and end lines, to text and back. A field that could not be read is absent, never null.
#include "lines/run_line.hpp"

#include "lines/benchmark_json.hpp"
#include "lines/json.hpp"
#include "lines/words.hpp"

namespace tocuda {
namespace {

using json::Json;
using json::put;
using json::take;

Json empty() { return Json::object(); }

Json of_gpu(const Gpu& gpu) {
    Json object{{"index", gpu.index}};
    put(object, "uuid", gpu.uuid);
    put(object, "name", gpu.name);
    put(object, "vbios", gpu.vbios);
    put(object, "compute_capability", gpu.compute_capability);
    put(object, "memory_bytes", gpu.memory_bytes);
    put(object, "power_limit_w", gpu.power_limit_w);
    put(object, "ecc", gpu.ecc);
    put(object, "mig", gpu.mig);
    put(object, "persistence", gpu.persistence);
    auto pcie = empty();
    put(pcie, "generation", gpu.pcie.generation);
    put(pcie, "width", gpu.pcie.width);
    put(pcie, "generation_max", gpu.pcie.generation_max);
    put(pcie, "width_max", gpu.pcie.width_max);
    object["pcie"] = pcie;
    return object;
}

Gpu to_gpu(const Json& object) {
    Gpu gpu{.index = json::field<int>(object, "index")};
    take(object, "uuid", gpu.uuid);
    take(object, "name", gpu.name);
    take(object, "vbios", gpu.vbios);
    take(object, "compute_capability", gpu.compute_capability);
    take(object, "memory_bytes", gpu.memory_bytes);
    take(object, "power_limit_w", gpu.power_limit_w);
    take(object, "ecc", gpu.ecc);
    take(object, "mig", gpu.mig);
    take(object, "persistence", gpu.persistence);
    if (!object.contains("pcie")) return gpu;
    take(object["pcie"], "generation", gpu.pcie.generation);
    take(object["pcie"], "width", gpu.pcie.width);
    take(object["pcie"], "generation_max", gpu.pcie.generation_max);
    take(object["pcie"], "width_max", gpu.pcie.width_max);
    return gpu;
}

Json of_suite(const Suite& suite) {
    Json object{{"version", suite.version}};
    put(object, "commit", suite.commit);
    object["dirty"] = suite.dirty;
    return object;
}

Json of_machine(const Machine& machine) {
    auto object = empty();
    put(object, "host", machine.host);
    put(object, "os", machine.os);
    put(object, "kernel", machine.kernel);
    put(object, "cpu", machine.cpu);
    put(object, "numa_nodes", machine.numa_nodes);
    return object;
}

Json of_fleet(const Fleet& fleet) {
    return {{"launcher", fleet.launcher}, {"rank", fleet.rank}, {"size", fleet.size}, {"local_rank", fleet.local_rank}, {"node", fleet.node}};
}

Fleet to_fleet(const Json& object) {
    return {json::field<std::string>(object, "launcher"), json::amount<int>(object, "rank"), json::amount<int>(object, "size"),
            json::amount<int>(object, "local_rank"), json::field_or<std::string>(object, "node", "")};
}

Json of_software(const RunLine& run, const char* part) {
    auto object = empty();
    if (part == std::string_view("driver")) {
        put(object, "kernel_module", run.driver.kernel_module);
        put(object, "cuda", run.driver.cuda);
        put(object, "flavour", run.driver.flavour);
    } else if (part == std::string_view("cuda")) {
        put(object, "runtime", run.cuda.runtime);
        put(object, "toolkit", run.cuda.toolkit);
        object["architectures"] = run.cuda.architectures;
    } else {
        put(object, "version", run.libtorch.version);
        put(object, "build", run.libtorch.build);
    }
    return object;
}

void take_software(const Json& object, RunLine& run) {
    if (object.contains("driver")) {
        take(object["driver"], "kernel_module", run.driver.kernel_module);
        take(object["driver"], "cuda", run.driver.cuda);
        take(object["driver"], "flavour", run.driver.flavour);
    }
    if (object.contains("cuda")) {
        take(object["cuda"], "runtime", run.cuda.runtime);
        take(object["cuda"], "toolkit", run.cuda.toolkit);
        run.cuda.architectures = json::words_or_none(object["cuda"], "architectures");
    }
    if (object.contains("libtorch")) {
        take(object["libtorch"], "version", run.libtorch.version);
        take(object["libtorch"], "build", run.libtorch.build);
    }
}

Machine to_machine(const Json& object) {
    Machine machine;
    take(object, "host", machine.host);
    take(object, "os", machine.os);
    take(object, "kernel", machine.kernel);
    take(object, "cpu", machine.cpu);
    take(object, "numa_nodes", machine.numa_nodes);
    return machine;
}

std::vector<Unavailable> to_unavailable(const Json& object) {
    std::vector<Unavailable> unavailable;
    for (const auto& one : json::list(object, "unavailable")) {
        if (!one.is_object()) throw json::Malformed("'unavailable' holds what is no object");
        unavailable.push_back({json::field<std::string>(one, "field"), json::field<std::string>(one, "cause")});
    }
    return unavailable;
}

void refuse_control_characters_in(const Json& value, const std::string& name) {
    if (value.is_string()) json::refuse_control_characters(value.get_ref<const std::string&>(), name);
    if (value.is_object())
        for (const auto& [key, field] : value.items()) refuse_control_characters_in(field, key);
    if (value.is_array())
        for (const auto& element : value) refuse_control_characters_in(element, name);
}

RunLine to_run(const Json& object) {
    if (json::field<std::string>(object, "kind") != "run") throw json::Malformed("'kind' is not 'run'");
    RunLine run{.schema = json::field<int>(object, "schema"), .run = json::field<std::string>(object, "run"),
                .time = json::field<std::string>(object, "time"), .verb = json::field<std::string>(object, "verb"),
                .device = json::device_field(object), .session = json::field<std::string>(object, "session")};
    take(object, "boot", run.boot);
    take(object, "driver_loaded", run.driver_loaded);
    if (object.contains("suite")) {
        run.suite.version = json::field<std::string>(object["suite"], "version");
        take(object["suite"], "commit", run.suite.commit);
        run.suite.dirty = json::field_or<bool>(object["suite"], "dirty", false);
    }
    if (object.contains("machine")) run.machine = to_machine(json::part(object, "machine"));
    take_software(object, run);
    if (object.contains("gpus"))
        for (const auto& gpu : json::list(object, "gpus")) run.gpus.push_back(to_gpu(gpu));
    if (object.contains("fleet")) run.fleet = to_fleet(json::part(object, "fleet"));
    if (object.contains("protocol")) run.protocol = json::to_protocol(json::part(object, "protocol"));
    run.seed = json::field_or<std::uint64_t>(object, "seed", 0);
    if (object.contains("command"))
        for (const auto& argument : json::list(object, "command")) run.command.push_back(argument.get<std::string>());
    take(object, "resumes", run.resumes);
    if (object.contains("unavailable")) run.unavailable = to_unavailable(object);
    return run;
}

}  // namespace

std::string to_line(const RunLine& run) {
    Json object{{"kind", "run"}, {"schema", run.schema}, {"run", run.run}, {"time", run.time}, {"verb", run.verb},
                {"device", word(run.device)}, {"session", run.session}};
    put(object, "boot", run.boot);
    put(object, "driver_loaded", run.driver_loaded);
    object["suite"] = of_suite(run.suite);
    object["machine"] = of_machine(run.machine);
    for (const char* part : {"driver", "cuda", "libtorch"}) object[part] = of_software(run, part);
    object["gpus"] = Json::array();
    for (const auto& gpu : run.gpus) object["gpus"].push_back(of_gpu(gpu));
    if (run.fleet) object["fleet"] = of_fleet(*run.fleet);
    if (run.protocol) object["protocol"] = json::of_protocol(*run.protocol);
    object["seed"] = run.seed;
    object["command"] = run.command;
    put(object, "resumes", run.resumes);
    object["unavailable"] = Json::array();
    for (const auto& [field, cause] : run.unavailable) object["unavailable"].push_back({{"field", field}, {"cause", cause}});
    return json::text(object);
}

std::string to_line(const EndLine& end) {
    return json::text({{"kind", "end"}, {"status", end.status}, {"rows", end.rows}, {"sha256", end.sha256}});
}

Parsed<RunLine> run_line(std::string_view line) {
    return json::parsed<RunLine>(line, [](const Json& object) {
        refuse_control_characters_in(object, "a field");
        return to_run(object);
    });
}

Parsed<EndLine> end_line(std::string_view line) {
    return json::parsed<EndLine>(line, [](const Json& object) {
        return EndLine{json::field<std::string>(object, "status"), json::field<int>(object, "rows"),
                       json::field<std::string>(object, "sha256")};
    });
}

}  // namespace tocuda
