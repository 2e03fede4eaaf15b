// tocuda, Apache-2.0.
#include "lines/benchmark_json.hpp"

namespace tocuda {
namespace {

using Choices = std::map<std::string, Values>;
using json::Json;

Json of_choices(const Choices& choices) {
    auto object = Json::object();
    for (const auto& [name, values] : choices) object[name] = json::from_value(values);
    return object;
}

Choices to_choices(const dom::Fields& fields) {
    Choices choices;
    for (const auto& [name, values] : fields)
        for (auto& chosen = choices[std::string(name)]; const dom::Element value : dom::list(fields, name))
            chosen.push_back(dom::to_value(value));
    return choices;
}

}  // namespace

Json json::of_benchmark(const Benchmark& benchmark) {
    return {{"name", benchmark.name},
            {"summary", benchmark.summary},
            {"clock", word(benchmark.clock)},
            {"parameters", of_choices(benchmark.parameters)},
            {"quick", of_choices(benchmark.quick)},
            {"full", of_choices(benchmark.full)},
            {"alternates", benchmark.alternates},
            {"needs", of_needs(benchmark.needs)}};
}

Benchmark dom::to_benchmark(const Fields& fields) {
    Benchmark benchmark{.name = field<std::string>(fields, "name"),
                        .summary = field<std::string>(fields, "summary"),
                        .clock = word_field<Clock>(fields, "clock", clock_words),
                        .parameters = to_choices(part(fields, "parameters"))};
    if (const auto quick = part_or_none(fields, "quick")) benchmark.quick = to_choices(*quick);
    if (const auto full = part_or_none(fields, "full")) benchmark.full = to_choices(*full);
    benchmark.alternates = field_or<std::string>(fields, "alternates", "");
    benchmark.needs = to_needs(part(fields, "needs"));
    return benchmark;
}

Json json::of_parameters(const Parameters& parameters) {
    auto object = Json::object();
    for (const auto& [name, value] : parameters) object[name] = from_value(value);
    return object;
}

Parameters dom::to_parameters(const Fields& fields) {
    Parameters parameters;
    for (const auto& [name, value] : fields) parameters.emplace(name, to_value(value));
    return parameters;
}

Json json::of_protocol(const Protocol& protocol) {
    auto object = Json::object();
    for_each_field(protocol, protocol_fields, [&](const char* name, const auto& value) { object[name] = value; });
    if (!protocol.gate) object["gate"] = false;
    return object;
}

Protocol dom::to_protocol(const Fields& fields) {
    Protocol protocol;
    for_each_field(protocol, protocol_fields, [&]<class Type>(const char* name, Type& value) {
        if constexpr (std::is_arithmetic_v<Type>) value = amount_or<Type>(fields, name, value);
        else value = field_or<Type>(fields, name, value);
    });
    protocol.gate = field_or<bool>(fields, "gate", protocol.gate);
    if (protocol.launches_min < 1) throw Malformed("'launches_min' is below 1");
    if (protocol.launches_max < protocol.launches_min) throw Malformed("'launches_max' is below 'launches_min'");
    return protocol;
}

json::Json json::of_environment(const Environment& environment) {
    auto object = Json::object();
    for (const auto& [name, value] : environment) object[name] = or_null(value);
    return object;
}

Environment dom::to_environment(const Fields& fields) {
    Environment environment;
    for (const auto& [name, value] : fields)
        environment.emplace(name, value.is_null() ? std::nullopt : std::optional(as<std::string>(value, name)));
    return environment;
}

namespace json {
namespace {

Json of_variant(const Variant& variant) {
    auto expected = Json::object();
    for (const auto& [claim, verdict] : variant.expected) expected[claim] = word(verdict);
    Json object{{"name", variant.name},
                {"environment", of_environment(variant.environment)},
                {"fakes", variant.fakes},
                {"simulate", variant.simulate},
                {"faults", variant.faults},
                {"limits", {{"seconds", variant.limits.seconds}, {"resident_bytes", variant.limits.resident_bytes}}},
                {"expected", expected}};
    if (variant.needs) object["needs"] = of_needs(*variant.needs);
    if (!variant.program.empty()) object["program"] = variant.program;
    return object;
}

}  // namespace

Json of_needs(const Needs& needs) {
    return {{"gpus", needs.gpus},
            {"free_gib", needs.free_gib},
            {"compute_capability", needs.compute_capability},
            {"arithmetic", needs.arithmetic}};
}

Json of_difference(const Difference& difference) {
    Json object{{"key", difference.key}, {"says", difference.says}};
    if (!difference.remark.empty()) object["remark"] = difference.remark;
    if (!difference.variants.empty()) object["variants"] = difference.variants;
    return object;
}

Json of_scenario(const Scenario& scenario) {
    auto claims = Json::array();
    for (const auto& claim : scenario.claims) claims.push_back({{"id", claim.id}, {"statement", claim.statement}});
    auto variants = Json::array();
    for (const auto& variant : scenario.variants) variants.push_back(of_variant(variant));
    Json object{{"name", scenario.name},
                {"summary", scenario.summary},
                {"observed", scenario.observed},
                {"decisive", scenario.decisive},
                {"claims", claims},
                {"needs", of_needs(scenario.needs)},
                {"judges_ends", scenario.judges_ends},
                {"variants", variants}};
    for (const auto& difference : scenario.differs) object["differs"].push_back(of_difference(difference));
    return object;
}

}  // namespace json
namespace dom {
namespace {

Difference to_difference(const Fields& fields) {
    Difference difference{field<std::string>(fields, "key"), {}, field_or<std::string>(fields, "remark", "")};
    difference.variants = texts_or_none(fields, "variants");
    for (const auto& [version, words] : part(fields, "says"))
        difference.says.emplace(version, as<std::string>(words, version));
    return difference;
}

Variant to_variant(const Fields& fields) {
    Variant variant{.name = field<std::string>(fields, "name")};
    if (const auto environment = part_or_none(fields, "environment"))
        variant.environment = to_environment(*environment);
    variant.fakes = texts_or_none(fields, "fakes");
    variant.simulate = field_or<std::string>(fields, "simulate", "");
    variant.faults = texts_or_none(fields, "faults");
    if (!variant.faults.empty() && variant.simulate.empty()) throw Malformed("'faults' without 'simulate'");
    if (const auto limits = part_or_none(fields, "limits")) {
        variant.limits.seconds = field_or(*limits, "seconds", variant.limits.seconds);
        variant.limits.resident_bytes = field_or(*limits, "resident_bytes", variant.limits.resident_bytes);
    }
    if (const auto needs = part_or_none(fields, "needs")) variant.needs = to_needs(*needs);
    variant.program = field_or<std::string>(fields, "program", "");
    if (variant.program.find('/') != std::string::npos)
        throw Malformed("'program' must be a file name without a folder: it is looked up beside the worker");
    const auto expected = part(fields, "expected");
    for (const auto& [claim, verdict] : expected) variant.expected.emplace(claim, verdict_field(expected, claim));
    return variant;
}

}  // namespace

Needs to_needs(const Fields& fields) {
    return {field_or<int>(fields, "gpus", 0), field_or<double>(fields, "free_gib", 0),
            field_or<std::string>(fields, "compute_capability", ""), field_or<bool>(fields, "arithmetic", false)};
}

Scenario to_scenario(const Fields& fields) {
    Scenario scenario;
    scenario.name = field<std::string>(fields, "name");
    scenario.summary = field<std::string>(fields, "summary");
    for (const auto& claim : parts(fields, "claims"))
        scenario.claims.push_back({field<std::string>(claim, "id"), field<std::string>(claim, "statement")});
    if (const auto needs = part_or_none(fields, "needs")) scenario.needs = to_needs(*needs);
    for (const auto& variant : parts(fields, "variants")) scenario.variants.push_back(to_variant(variant));
    scenario.judges_ends = field_or<bool>(fields, "judges_ends", false);
    scenario.observed = field_or<std::string>(fields, "observed", "");
    scenario.decisive = field_or<std::string>(fields, "decisive", "");
    for (const auto& difference : parts_or_none(fields, "differs"))
        scenario.differs.push_back(to_difference(difference));
    return scenario;
}

}  // namespace dom

}  // namespace tocuda
