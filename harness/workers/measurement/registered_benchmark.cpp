// tocuda, Apache-2.0.
// The registry of benchmarks, filled before main.
#include "measurement/registered_benchmark.hpp"

#include <algorithm>

#include "measurement/parameter.hpp"

namespace tocuda {
namespace {

bool is_within(const std::string& name, const std::string& folder) {
    return name.starts_with(folder) && (name.size() == folder.size() || name[folder.size()] == '/');
}

std::vector<Measurable>& all() {
    static std::vector<Measurable> measurables;
    return measurables;
}

std::vector<Family>& families() {
    static std::vector<Family> list;
    return list;
}

// Of the folder that holds the name, or of the longest of several. One that nobody registered has the first folder.
Family family_of(const std::string& name) {
    Family found{.group = {.name = name.substr(0, name.find('/'))}};
    std::size_t longest = 0;
    for (const auto& family : families()) {
        if (!is_within(name, family.folder) || family.folder.size() < longest) continue;
        longest = family.folder.size();
        found = family;
        if (found.group.name.empty()) found.group.name = family.folder;
    }
    return found;
}

template <class Type>
void inherit(Type& value, const Type& of_family) {
    if (value == Type{}) value = of_family;
}

void complete(Benchmark& benchmark) {
    auto& group = benchmark.group;
    if (group.order == Group::after_others) group = family_of(group.name.empty() ? benchmark.name : group.name).group;
    auto& role = benchmark.role;
    if (role.alone) return;
    const auto shared = family_of(benchmark.name).role;
    inherit(role.pictures, shared.pictures);
    inherit(role.heading, shared.heading);
    inherit(role.question, shared.question);
    inherit(role.compared, shared.compared);
    inherit(role.campaign, shared.campaign);
    for (const auto flag : {&Role::over_link, &Role::libtorch, &Role::working_set, &Role::collective, &Role::unlike,
                            &Role::touched, &Role::each_row, &Role::slowest})
        inherit(role.*flag, shared.*flag);
}

}  // namespace

RegisteredFamily::RegisteredFamily(Family family) { families().push_back(std::move(family)); }

RegisteredBenchmark::RegisteredBenchmark(Measurable measurable) { all().push_back(std::move(measurable)); }

std::vector<Measurable> registered_benchmarks() {
    auto sorted = all();
    for (auto& measurable : sorted) complete(measurable.benchmark);
    std::sort(sorted.begin(), sorted.end(), [](const Measurable& left, const Measurable& right) {
        return left.benchmark.name < right.benchmark.name;
    });
    return sorted;
}

Measurable tuning(Measurable of, const std::string& name, const std::map<std::string, Values>& given) {
    auto& benchmark = of.benchmark;
    const auto variant = benchmark.name.substr(benchmark.name.rfind('/') + 1);
    if (benchmark.group.name.empty()) benchmark.group.name = benchmark.name;
    benchmark.name = name;
    const auto operation = name.substr(name.rfind('/') + 1);
    benchmark.role = {.question = "Which setting of " + name + " is the fastest",
                      .compared = {"*"},
                      .campaign = "tune",
                      .chooses = operation.substr(0, operation.find("_by_")) + " " + variant,
                      .tunes = true,
                      .each_row = true,
                      .alone = true};
    benchmark.summary = "measure every variant at one size, to choose the best: " + benchmark.summary;
    for (const auto& [parameter, values] : benchmark.full) benchmark.parameters[parameter] = values;
    for (const auto& [parameter, values] : given) benchmark.parameters[parameter] = values;
    benchmark.quick = {};
    benchmark.full = {};
    return of;
}

std::size_t largest_that_fits(const std::vector<Parameters>& sets, const std::function<bool(const Parameters&)>& fits) {
    std::size_t most = 0;
    for (const auto& set : sets)
        if (fits(set)) most = std::max(most, bytes_of(set));
    return most;
}

}  // namespace tocuda
