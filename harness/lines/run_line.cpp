// tocuda, Apache-2.0.
// Writes and reads run and end lines. An unknown value is an absent field, never null.
#include "lines/run_line.hpp"

#include <tuple>

#include "lines/benchmark_json.hpp"
#include "lines/json.hpp"
#include "lines/recorded_json.hpp"
#include "lines/words.hpp"

namespace tocuda {
namespace {

using json::Json;
using json::put;
using json::take;

// An optional field of a part; one list of them serves both writing and reading.
template <class Part, class Type>
struct Field {
    const char* name;
    std::optional<Type> Part::* member;
};
template <class Part, class Type>
Field(const char*, std::optional<Type> Part::*) -> Field<Part, Type>;

constexpr std::tuple gpu_fields{Field{"uuid", &Gpu::uuid},
                                Field{"name", &Gpu::name},
                                Field{"vbios", &Gpu::vbios},
                                Field{"compute_capability", &Gpu::compute_capability},
                                Field{"memory_bytes", &Gpu::memory_bytes},
                                Field{"power_limit_w", &Gpu::power_limit_w},
                                Field{"ecc", &Gpu::ecc},
                                Field{"mig", &Gpu::mig},
                                Field{"persistence", &Gpu::persistence}};
constexpr std::tuple link_fields{Field{"generation", &PcieLink::generation}, Field{"width", &PcieLink::width},
                                 Field{"generation_max", &PcieLink::generation_max},
                                 Field{"width_max", &PcieLink::width_max},
                                 Field{"gpu_generation_max", &PcieLink::gpu_generation_max}};
constexpr std::tuple machine_fields{Field{"host", &Machine::host}, Field{"os", &Machine::os},
                                    Field{"kernel", &Machine::kernel}, Field{"cpu", &Machine::cpu},
                                    Field{"numa_nodes", &Machine::numa_nodes}};
constexpr std::tuple driver_fields{Field{"kernel_module", &Driver::kernel_module}, Field{"cuda", &Driver::cuda},
                                   Field{"flavour", &Driver::flavour}};
constexpr std::tuple cuda_fields{Field{"runtime", &Cuda::runtime}, Field{"toolkit", &Cuda::toolkit}};
constexpr std::tuple libtorch_fields{Field{"version", &LibTorch::version}, Field{"build", &LibTorch::build}};

template <class Part, class Fields>
Json of_part(const Part& part, const Fields& fields) {
    auto object = Json::object();
    std::apply([&](const auto&... field) { (put(object, field.name, part.*field.member), ...); }, fields);
    return object;
}

template <class Part, class Fields>
void take_part(const Json& object, const Fields& fields, Part& part) {
    std::apply([&](const auto&... field) { (take(object, field.name, part.*field.member), ...); }, fields);
}

// The same for a named part that may be absent as a whole.
template <class Part, class Fields>
void take_named(const Json& object, const char* name, const Fields& fields, Part& part) {
    if (object.contains(name)) take_part(json::part(object, name), fields, part);
}

Json of_gpu(const Gpu& gpu) {
    Json object{{"index", gpu.index}};
    object.update(of_part(gpu, gpu_fields));
    object["pcie"] = of_part(gpu.pcie, link_fields);
    return object;
}

Gpu to_gpu(const Json& object) {
    Gpu gpu{.index = json::field<int>(object, "index")};
    take_part(object, gpu_fields, gpu);
    take_named(object, "pcie", link_fields, gpu.pcie);
    return gpu;
}

Json of_suite(const Suite& suite) {
    Json object{{"version", suite.version}};
    put(object, "commit", suite.commit);
    object["dirty"] = suite.dirty;
    return object;
}

Suite to_suite(const Json& object) {
    Suite suite{.version = json::field<std::string>(object, "version"),
                .commit = {},
                .dirty = json::field_or<bool>(object, "dirty", false)};
    take(object, "commit", suite.commit);
    return suite;
}

Json of_fleet(const Fleet& fleet) {
    return {{"launcher", fleet.launcher},
            {"rank", fleet.rank},
            {"size", fleet.size},
            {"local_rank", fleet.local_rank},
            {"node", fleet.node}};
}

Fleet to_fleet(const Json& object) {
    return {json::field<std::string>(object, "launcher"), json::amount<int>(object, "rank"),
            json::amount<int>(object, "size"), json::amount<int>(object, "local_rank"),
            json::field_or<std::string>(object, "node", "")};
}

Json of_cuda(const RunLine& run) {
    auto object = of_part(run.cuda, cuda_fields);
    object["architectures"] = run.cuda.architectures;
    return object;
}

void take_software(const Json& object, RunLine& run) {
    take_named(object, "driver", driver_fields, run.driver);
    take_named(object, "cuda", cuda_fields, run.cuda);
    if (object.contains("cuda")) run.cuda.architectures = json::words_or_none(object["cuda"], "architectures");
    take_named(object, "libtorch", libtorch_fields, run.libtorch);
}

std::vector<Unavailable> to_unavailable(const Json& object) {
    std::vector<Unavailable> unavailable;
    for (const auto& one : json::list(object, "unavailable")) {
        if (!one.is_object()) throw json::Malformed("'unavailable' contains something other than an object");
        unavailable.push_back(
            {json::field<std::string>(one, "field"), visible(json::field<std::string>(one, "cause"))});
    }
    return unavailable;
}

// Commands and causes may contain any bytes; their control characters are replaced when they are read.
bool is_free_text(const std::string& name) { return name == "command" || name == "cause"; }

void refuse_control_characters_in(const Json& value, const std::string& name) {
    if (value.is_string()) json::refuse_control_characters(value.get_ref<const std::string&>(), name);
    if (value.is_object())
        for (const auto& [key, field] : value.items())
            if (!is_free_text(key)) refuse_control_characters_in(field, key);
    if (value.is_array())
        for (const auto& element : value) refuse_control_characters_in(element, name);
}

RunLine to_run(const Json& object) {
    if (json::field<std::string>(object, "kind") != "run") throw json::Malformed("'kind' is not 'run'");
    RunLine run{.schema = json::field<int>(object, "schema"),
                .run = json::field<std::string>(object, "run"),
                .time = json::field<std::string>(object, "time"),
                .verb = json::field<std::string>(object, "verb"),
                .device = json::device_field(object),
                .session = json::field<std::string>(object, "session")};
    take(object, "boot", run.boot);
    take(object, "driver_loaded", run.driver_loaded);
    if (object.contains("suite")) run.suite = to_suite(json::part(object, "suite"));
    take_named(object, "machine", machine_fields, run.machine);
    take_software(object, run);
    if (object.contains("gpus"))
        for (const auto& gpu : json::list(object, "gpus")) run.gpus.push_back(to_gpu(gpu));
    if (object.contains("fleet")) run.fleet = to_fleet(json::part(object, "fleet"));
    if (object.contains("protocol")) run.protocol = json::to_protocol(json::part(object, "protocol"));
    run.seed = json::field_or<std::uint64_t>(object, "seed", 0);
    for (const auto& argument : json::words_or_none(object, "command")) run.command.push_back(visible_lines(argument));
    take(object, "resumes", run.resumes);
    if (object.contains("unavailable")) run.unavailable = to_unavailable(object);
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
        refuse_control_characters_in(object, "a field");
        return EndLine{json::field<std::string>(object, "status"), json::field<int>(object, "rows"),
                       json::field<std::string>(object, "sha256")};
    });
}

}  // namespace tocuda
