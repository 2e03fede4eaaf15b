// tocuda, Apache-2.0.
// The sets of a sweep are written as a table, because they have the same parameters.
#include <set>

#include "json_lines/model_fields.hpp"
#include "json_lines/recorded_json.hpp"

namespace tocuda {
namespace {

constexpr int most_rounds = 100000;
constexpr int most_launches = 1000000;
constexpr int most_gpus = 1024;
constexpr double most_seconds = 1e9;

// 0 is none, and is not written.
void seconds_or_none(auto& io, const char* name, auto& seconds) {
    io.unless_empty(name, seconds);
    io.within(name, seconds, 0.0, most_seconds);
}

void refuse_twice(auto& io, const auto& list, auto name_of) {
    std::set<std::string> seen;
    for (const auto& one : list) {
        const std::string name = name_of(one);
        io.must(seen.insert(name).second, "'" + name + "' is planned twice");
    }
}

}  // namespace

void fields(auto& io, Of<Where> auto& where) {
    io.unless_empty("simulate", where.simulate, As::written);
    io.unless_empty("real", where.real);
    io.unless_empty("gpus", where.gpus, As::written);
}

void fields(auto& io, Of<PlannedVariant> auto& planned) {
    io("scenario", planned.scenario);
    io("variant", planned.variant);
    io("device", planned.device);
    io.unless_empty("simulation", planned.simulation, As::written);
    io.unless_empty("skipped", planned.skipped, As::written);
    io.unless_empty("variables", planned.variables);
}

void fields(json::Writer& io, const PlannedSweep& sweep) {
    std::vector<std::string> names;
    if (!sweep.sets.empty())
        for (const auto& [name, value] : sweep.sets.front()) names.push_back(name);
    std::vector<Values> sets;
    for (const auto& set : sweep.sets)
        for (auto& values = sets.emplace_back(); const auto& name : names) values.push_back(set.at(name));
    io("benchmark", sweep.benchmark);
    io("parameters", names);
    io("sets", sets);
}

void fields(dom::Reader& io, PlannedSweep& sweep) {
    std::vector<std::string> names;
    std::vector<Values> sets;
    io("benchmark", sweep.benchmark);
    io.or_else("parameters", names, As::shown);
    io("sets", sets);
    const auto of_it = "a set of '" + sweep.benchmark + "' ";
    io.must(!sets.empty(), "'" + sweep.benchmark + "' has no parameter set");
    std::set<std::string> seen;
    for (const auto& values : sets) {
        io.must(seen.insert(json::text(json::of(values))).second, of_it + "is planned twice");
        io.must(values.size() == names.size(), of_it + "does not have one value for each parameter");
        auto& set = sweep.sets.emplace_back();
        for (std::size_t i = 0; i < names.size(); ++i) set[names[i]] = values[i];
    }
}

void fields(auto& io, Of<PlannedUnit> auto& unit) {
    io("sweep", unit.sweep);
    io("gpus", unit.gpus);
    io.unless_empty("skipped", unit.skipped, As::written);
    io.unless_empty("at_once", unit.at_once);
    for (const int gpu : unit.gpus) io.within("gpus", gpu, 0, most_gpus);
    const bool each_once = std::set(unit.gpus.begin(), unit.gpus.end()).size() == unit.gpus.size();
    io.must(each_once || unit.at_once, "a unit has a GPU twice");
}

void fields(auto& io, Of<RoundRules> auto& rules) {
    io("first", rules.first);
    io("least", rules.least);
    io("most", rules.most);
    io("settles", rules.settles);
    io("pairs", rules.pairs);
    io.within("first", rules.first, 1, most_rounds);
    io.within("least", rules.least, 1, most_rounds);
    io.within("most", rules.most, 1, most_rounds);
    io.must(rules.most >= rules.least && rules.least >= rules.first, "the numbers of rounds contradict");
}

void fields_of_measurement(auto& io, Of<Plan> auto& plan) {
    io("protocol", plan.protocol);
    if (plan.protocol) {
        io.within("launches_max", plan.protocol->launches_max, 1, most_launches);
        io.within("launch_budget_s", plan.protocol->launch_budget_s, 0.0, most_seconds);
        io.within("processes_min", plan.protocol->processes_min, 1, most_rounds);
    }
    io("rules", plan.rules);
    if (!plan.rules) return;
    seconds_or_none(io, "budget_s", plan.budget_seconds);
    io("sweeps", plan.sweeps);
    io("units", plan.units);
    refuse_twice(io, plan.sweeps, [](const PlannedSweep& sweep) { return sweep.benchmark; });
    for (const auto& unit : plan.units)
        io.must(unit.sweep < plan.sweeps.size(), "a unit names a sweep that is not planned");
}

void fields_of_plan(auto& io, Of<Plan> auto& plan) {
    io("where", plan.where);
    io("seed", plan.seed);
    seconds_or_none(io, "child_s", plan.child_seconds);
    io.unless_empty("variables", plan.variables);
    io.unless_empty("variants", plan.variants);
    refuse_twice(io, plan.variants, [](const auto& one) { return one.scenario + " " + one.variant; });
    fields_of_measurement(io, plan);
}

void fields(json::Writer& io, const Plan& plan) { fields_of_plan(io, plan); }
void fields(dom::Reader& io, Plan& plan) { fields_of_plan(io, plan); }

}  // namespace tocuda
