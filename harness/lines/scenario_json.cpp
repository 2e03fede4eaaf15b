// tocuda, Apache-2.0.
#include "lines/scenario_json.hpp"

#include "lines/words.hpp"

namespace tocuda::json {
namespace {

Difference to_difference(const Json& object) {
    Difference difference{field<std::string>(object, "key"), {}, field_or<std::string>(object, "remark", "")};
    if (object.contains("variants"))
        for (const auto& variant : list(object, "variants")) difference.variants.push_back(variant.get<std::string>());
    if (!object.contains("says") || !object["says"].is_object()) throw Malformed("'says' is missing");
    for (const auto& [version, words] : object["says"].items())
        difference.says[version] = field<std::string>(object["says"], version.c_str());
    return difference;
}

Json of_variant(const Variant& variant) {
    auto environment = Json::object();
    for (const auto& [name, value] : variant.environment) environment[name] = value ? Json(*value) : Json(nullptr);
    auto expected = Json::object();
    for (const auto& [claim, verdict] : variant.expected) expected[claim] = word(verdict);
    Json object{{"name", variant.name},
                {"environment", environment},
                {"fakes", variant.fakes},
                {"simulate", variant.simulate},
                {"faults", variant.faults},
                {"limits", {{"seconds", variant.limits.seconds}, {"resident_bytes", variant.limits.resident_bytes}}},
                {"expected", expected}};
    if (variant.needs) object["needs"] = of_needs(*variant.needs);
    if (!variant.program.empty()) object["program"] = variant.program;
    return object;
}

Environment to_environment(const Json& object) {
    Environment environment;
    for (const auto& [name, value] : object.items()) {
        if (!value.is_null() && !value.is_string()) throw Malformed("environment '" + name + "' is not a string");
        environment[name] = value.is_null() ? std::nullopt : std::optional(value.get<std::string>());
    }
    return environment;
}

Variant to_variant(const Json& object) {
    Variant variant{.name = field<std::string>(object, "name")};
    if (object.contains("environment")) variant.environment = to_environment(object["environment"]);
    if (object.contains("fakes"))
        for (const auto& fake : list(object, "fakes")) variant.fakes.push_back(fake.get<std::string>());
    variant.simulate = field_or<std::string>(object, "simulate", "");
    if (object.contains("faults"))
        for (const auto& fault : list(object, "faults")) variant.faults.push_back(fault.get<std::string>());
    if (!variant.faults.empty() && variant.simulate.empty()) throw Malformed("'faults' without 'simulate'");
    if (object.contains("limits")) {
        variant.limits.seconds = field_or<double>(object["limits"], "seconds", variant.limits.seconds);
        variant.limits.resident_bytes =
            field_or<std::int64_t>(object["limits"], "resident_bytes", variant.limits.resident_bytes);
    }
    if (object.contains("needs")) variant.needs = to_needs(object["needs"]);
    variant.program = field_or<std::string>(object, "program", "");
    if (variant.program.find('/') != std::string::npos)
        throw Malformed("'program' must be a file name without a folder: it is looked up beside the worker");
    if (!object.contains("expected") || !object["expected"].is_object()) throw Malformed("'expected' is missing");
    for (const auto& [claim, verdict] : object["expected"].items())
        variant.expected[claim] = verdict_field(object["expected"], claim.c_str());
    return variant;
}

}  // namespace

Needs to_needs(const Json& object) {
    return {field_or<int>(object, "gpus", 0), field_or<double>(object, "free_gib", 0),
            field_or<std::string>(object, "compute_capability", ""), field_or<bool>(object, "arithmetic", false)};
}

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

Scenario to_scenario(const Json& object) {
    Scenario scenario;
    scenario.name = field<std::string>(object, "name");
    scenario.summary = field<std::string>(object, "summary");
    for (const auto& claim : list(object, "claims"))
        scenario.claims.push_back({field<std::string>(claim, "id"), field<std::string>(claim, "statement")});
    if (object.contains("needs")) scenario.needs = to_needs(object["needs"]);
    for (const auto& variant : list(object, "variants")) scenario.variants.push_back(to_variant(variant));
    scenario.judges_ends = field_or<bool>(object, "judges_ends", false);
    scenario.observed = field_or<std::string>(object, "observed", "");
    scenario.decisive = field_or<std::string>(object, "decisive", "");
    if (object.contains("differs"))
        for (const auto& difference : list(object, "differs")) scenario.differs.push_back(to_difference(difference));
    return scenario;
}

}  // namespace tocuda::json
