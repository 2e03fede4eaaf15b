// tocuda, Apache-2.0.
// The sets of a sweep are written as a table, because they have the same parameters.
#include "lines/plan_json.hpp"

#include <set>

#include "lines/benchmark_json.hpp"

namespace tocuda {
namespace {

using dom::Fields;
using dom::Malformed;
using json::Json;

constexpr int most_rounds = 100000;
constexpr int most_launches = 1000000;
constexpr int most_gpus = 1024;
constexpr double most_seconds = 1e9;

void put_unless_empty(Json& object, const char* name, const std::string& text) {
    if (!text.empty()) object[name] = visible(text);
}

Json of_where(const Where& where) {
    auto object = Json::object();
    put_unless_empty(object, "simulate", where.simulate);
    if (where.real) object["real"] = true;
    put_unless_empty(object, "gpus", where.gpus);
    return object;
}

Json of_variant(const PlannedVariant& planned) {
    Json object{{"scenario", planned.scenario}, {"variant", planned.variant}, {"device", word(planned.device)}};
    put_unless_empty(object, "simulation", planned.simulation);
    put_unless_empty(object, "skipped", planned.skipped);
    if (!planned.variables.empty()) object["variables"] = json::of_environment(planned.variables);
    return object;
}

Json of_sweep(const PlannedSweep& sweep) {
    auto names = Json::array();
    if (!sweep.sets.empty())
        for (const auto& [name, value] : sweep.sets.front()) names.push_back(name);
    auto sets = Json::array();
    for (const auto& set : sweep.sets) {
        auto values = Json::array();
        for (const auto& name : names) values.push_back(json::from_value(set.at(name.get<std::string>())));
        sets.push_back(std::move(values));
    }
    return {{"benchmark", sweep.benchmark}, {"parameters", std::move(names)}, {"sets", std::move(sets)}};
}

Json of_unit(const PlannedUnit& unit) {
    Json object{{"sweep", unit.sweep}, {"gpus", unit.gpus}};
    put_unless_empty(object, "skipped", unit.skipped);
    if (unit.at_once) object["at_once"] = true;
    return object;
}

Json of_rules(const RoundRules& rules) {
    return {{"first", rules.first},
            {"least", rules.least},
            {"most", rules.most},
            {"settles", rules.settles},
            {"pairs", rules.pairs}};
}

void put_measurement(Json& object, const Plan& plan) {
    if (plan.protocol) object["protocol"] = json::of_protocol(*plan.protocol);
    if (!plan.rules) return;
    object["rules"] = of_rules(*plan.rules);
    if (plan.budget_seconds > 0) object["budget_s"] = plan.budget_seconds;
    object["sweeps"] = Json::array();
    for (const auto& sweep : plan.sweeps) object["sweeps"].push_back(of_sweep(sweep));
    object["units"] = Json::array();
    for (const auto& unit : plan.units) object["units"].push_back(of_unit(unit));
}

template <class Number>
Number between(Number value, Number least, Number most, const char* name) {
    if (!(value >= least && value <= most)) dom::refuse(name, "is out of range");
    return value;
}

double seconds_or_none(const Fields& fields, const char* name) {
    return between(dom::field_or<double>(fields, name, 0), 0.0, most_seconds, name);
}

std::string text_or_none(const Fields& fields, const char* name) {
    return dom::field_or<std::string>(fields, name, "");
}

Environment variables_or_none(const Fields& fields) {
    const auto variables = dom::part_or_none(fields, "variables");
    return variables ? dom::to_environment(*variables) : Environment{};
}

PlannedVariant to_variant(const Fields& fields) {
    return {.scenario = dom::field<std::string>(fields, "scenario"),
            .variant = dom::field<std::string>(fields, "variant"),
            .device = dom::device_field(fields),
            .simulation = text_or_none(fields, "simulation"),
            .skipped = text_or_none(fields, "skipped"),
            .variables = variables_or_none(fields)};
}

PlannedSweep to_sweep(const Fields& fields) {
    PlannedSweep sweep{.benchmark = dom::field<std::string>(fields, "benchmark")};
    const auto names = dom::words_or_none(fields, "parameters");
    std::set<std::string> seen;
    for (const auto values : dom::list(fields, "sets")) {
        simdjson::dom::array row;
        if (values.get(row) != simdjson::SUCCESS || row.size() != names.size())
            throw Malformed("a set of '" + sweep.benchmark + "' does not have one value for each parameter");
        if (!seen.insert(simdjson::minify(row)).second)
            throw Malformed("a set of '" + sweep.benchmark + "' is planned twice");
        auto& set = sweep.sets.emplace_back();
        auto name = names.begin();
        for (const auto value : row) set[*name++] = dom::to_value(value);
    }
    if (sweep.sets.empty()) throw Malformed("'" + sweep.benchmark + "' has no parameter set");
    return sweep;
}

PlannedUnit to_unit(const Fields& fields, std::size_t sweeps) {
    PlannedUnit unit{.sweep = dom::amount<std::size_t>(fields, "sweep"),
                     .gpus = {},
                     .skipped = text_or_none(fields, "skipped"),
                     .at_once = dom::field_or<bool>(fields, "at_once", false)};
    if (unit.sweep >= sweeps) throw Malformed("a unit names a sweep that is not planned");
    std::set<int> seen;
    for (const auto gpu : dom::list(fields, "gpus")) {
        unit.gpus.push_back(between(dom::as<int>(gpu, "gpus"), 0, most_gpus, "gpus"));
        if (!seen.insert(unit.gpus.back()).second) throw Malformed("a unit has a GPU twice");
    }
    return unit;
}

RoundRules to_rules(const Fields& fields) {
    RoundRules rules{.first = between(dom::field<int>(fields, "first"), 1, most_rounds, "first"),
                     .least = between(dom::field<int>(fields, "least"), 1, most_rounds, "least"),
                     .most = between(dom::field<int>(fields, "most"), 1, most_rounds, "most"),
                     .settles = dom::field<bool>(fields, "settles"),
                     .pairs = dom::field<bool>(fields, "pairs")};
    if (rules.most < rules.least || rules.least < rules.first) throw Malformed("the numbers of rounds contradict");
    return rules;
}

Protocol to_bounded_protocol(const Fields& fields) {
    auto protocol = dom::to_protocol(fields);
    between(protocol.launches_max, 1, most_launches, "launches_max");
    between(protocol.launch_budget_s, 0.0, most_seconds, "launch_budget_s");
    between(protocol.processes_min, 1, most_rounds, "processes_min");
    return protocol;
}

void take_measurement(const Fields& fields, Plan& plan) {
    if (const auto protocol = dom::part_or_none(fields, "protocol")) plan.protocol = to_bounded_protocol(*protocol);
    const auto rules = dom::part_or_none(fields, "rules");
    if (!rules) return;
    plan.rules = to_rules(*rules);
    plan.budget_seconds = seconds_or_none(fields, "budget_s");
    std::set<std::string> seen;
    for (const auto& sweep : dom::parts(fields, "sweeps")) {
        plan.sweeps.push_back(to_sweep(sweep));
        if (!seen.insert(plan.sweeps.back().benchmark).second)
            throw Malformed("'" + plan.sweeps.back().benchmark + "' is planned twice");
    }
    for (const auto& unit : dom::parts(fields, "units")) plan.units.push_back(to_unit(unit, plan.sweeps.size()));
}

}  // namespace

json::Json json::of_plan(const Plan& plan) {
    Json object{{"where", of_where(plan.where)}, {"seed", plan.seed}};
    if (plan.child_seconds > 0) object["child_s"] = plan.child_seconds;
    if (!plan.variables.empty()) object["variables"] = of_environment(plan.variables);
    if (!plan.variants.empty()) object["variants"] = Json::array();
    for (const auto& planned : plan.variants) object["variants"].push_back(of_variant(planned));
    put_measurement(object, plan);
    return object;
}

Plan dom::to_plan(const Fields& fields) {
    const auto where = part(fields, "where");
    Plan plan{
        .where = {text_or_none(where, "simulate"), field_or<bool>(where, "real", false), text_or_none(where, "gpus")},
        .seed = field<std::uint64_t>(fields, "seed"),
        .child_seconds = seconds_or_none(fields, "child_s")};
    plan.variables = variables_or_none(fields);
    std::set<std::pair<std::string, std::string>> seen;
    for (const auto& one : parts_or_none(fields, "variants")) {
        const auto& planned = plan.variants.emplace_back(to_variant(one));
        if (!seen.emplace(planned.scenario, planned.variant).second)
            throw Malformed("'" + planned.scenario + " " + planned.variant + "' is planned twice");
    }
    take_measurement(fields, plan);
    return plan;
}

}  // namespace tocuda
