// tocuda, Apache-2.0.
#include "lines/benchmark_json.hpp"

#include "lines/scenario_json.hpp"

namespace tocuda::json {
namespace {

using Choices = std::map<std::string, Values>;

Json of_choices(const Choices& choices) {
    auto object = Json::object();
    for (const auto& [name, values] : choices) object[name] = from_value(values);
    return object;
}

Choices to_choices(const Json& object) {
    Choices choices;
    for (const auto& [name, values] : object.items()) {
        auto& chosen = choices[name];
        for (const auto& value : list(object, name.c_str())) chosen.push_back(to_value(value));
    }
    return choices;
}

}  // namespace

Json of_benchmark(const Benchmark& benchmark) {
    return {{"name", benchmark.name},
            {"summary", benchmark.summary},
            {"clock", word(benchmark.clock)},
            {"parameters", of_choices(benchmark.parameters)},
            {"quick", of_choices(benchmark.quick)},
            {"full", of_choices(benchmark.full)},
            {"alternates", benchmark.alternates},
            {"needs", of_needs(benchmark.needs)}};
}

Benchmark to_benchmark(const Json& object) {
    Benchmark benchmark{.name = field<std::string>(object, "name"),
                        .summary = field<std::string>(object, "summary"),
                        .clock = word_field<Clock>(object, "clock", clock_words),
                        .parameters = to_choices(part(object, "parameters"))};
    if (object.contains("quick")) benchmark.quick = to_choices(part(object, "quick"));
    if (object.contains("full")) benchmark.full = to_choices(part(object, "full"));
    benchmark.alternates = field_or<std::string>(object, "alternates", "");
    benchmark.needs = to_needs(part(object, "needs"));
    return benchmark;
}

Json of_parameters(const Parameters& parameters) {
    auto object = Json::object();
    for (const auto& [name, value] : parameters) object[name] = from_value(value);
    return object;
}

Parameters to_parameters(const Json& object) {
    Parameters parameters;
    for (const auto& [name, value] : object.items()) parameters[name] = to_value(value);
    return parameters;
}

Json of_protocol(const Protocol& protocol) {
    Json object{{"name", protocol.name},
                {"version", protocol.version},
                {"launches_min", protocol.launches_min},
                {"launches_max", protocol.launches_max},
                {"launch_budget_s", protocol.launch_budget_s},
                {"processes_min", protocol.processes_min}};
    if (!protocol.gate) object["gate"] = false;
    return object;
}

Protocol to_protocol(const Json& object) {
    Protocol protocol;
    protocol.name = field_or<std::string>(object, "name", protocol.name);
    protocol.version = amount_or<int>(object, "version", protocol.version);
    protocol.launches_min = amount_or<int>(object, "launches_min", protocol.launches_min);
    protocol.launches_max = amount_or<int>(object, "launches_max", protocol.launches_max);
    protocol.launch_budget_s = amount_or<double>(object, "launch_budget_s", protocol.launch_budget_s);
    protocol.processes_min = amount_or<int>(object, "processes_min", protocol.processes_min);
    protocol.gate = field_or<bool>(object, "gate", protocol.gate);
    if (protocol.launches_min < 1) throw Malformed("'launches_min' is below 1");
    if (protocol.launches_max < protocol.launches_min) throw Malformed("'launches_max' is below 'launches_min'");
    return protocol;
}

}  // namespace tocuda::json
