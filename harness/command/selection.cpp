// tocuda, Apache-2.0.
#include "command/selection.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <iterator>

#include "model/nearest.hpp"

namespace tocuda {
namespace {

std::vector<std::string> names_of_scenarios(const Catalogue& catalogue) {
    std::vector<std::string> names;
    for (const auto& worker : catalogue.workers)
        for (const auto& scenario : worker.scenarios) {
            names.push_back(scenario.name);
            names.push_back(family(scenario) + "/");
            names.push_back(scenario.name.substr(scenario.name.find('/') + 1));
            for (const auto& claim : scenario.claims) names.push_back(claim.id);
        }
    return names;
}

std::string nothing_named(const Catalogue& catalogue, const std::string& pattern) {
    return "no scenario, family or claim named '" + pattern + "'" + suggestion(pattern, names_of_scenarios(catalogue)) +
           "; `tocuda list` shows all";
}

// Returns false if no pattern matches. If patterns match only claims, only the variants with those claims are chosen.
bool choose(Selected& one, const std::vector<std::string>& patterns) {
    if (std::any_of(patterns.begin(), patterns.end(),
                    [&](const std::string& pattern) { return names(pattern, *one.scenario); }))
        return true;
    std::copy_if(patterns.begin(), patterns.end(), std::back_inserter(one.claims),
                 [&](const std::string& id) { return carries(*one.scenario, id); });
    return !one.claims.empty();
}

}  // namespace

bool names_benchmark(const std::string& pattern, const Benchmark& benchmark) {
    const auto folder = pattern.ends_with("/") ? pattern : pattern + "/";
    return pattern == benchmark.name || (!pattern.empty() && benchmark.name.starts_with(folder)) ||
           benchmark.name.ends_with("/" + pattern) || ::fnmatch(pattern.c_str(), benchmark.name.c_str(), 0) == 0;
}

std::vector<SelectedBenchmark> select_benchmarks(const Catalogue& catalogue, const std::vector<std::string>& patterns) {
    std::vector<SelectedBenchmark> selected;
    for (const auto& worker : catalogue.workers)
        for (const auto& benchmark : worker.benchmarks)
            if (patterns.empty() || std::any_of(patterns.begin(), patterns.end(), [&](const std::string& one) {
                    return names_benchmark(one, benchmark);
                }))
                selected.push_back({&worker, &benchmark});
    std::sort(selected.begin(), selected.end(),
              [](const auto& left, const auto& right) { return left.benchmark->name < right.benchmark->name; });
    return selected;
}

std::vector<std::string> names_of_benchmarks(const Catalogue& catalogue) {
    std::vector<std::string> names;
    for (const auto& one : select_benchmarks(catalogue, {})) {
        const auto& name = one.benchmark->name;
        names.push_back(name);
        for (auto slash = name.find('/'); slash != std::string::npos; slash = name.find('/', slash + 1))
            names.push_back(name.substr(0, slash + 1));
        names.push_back(name.substr(name.rfind('/') + 1));
    }
    return names;
}

std::string nothing_at_all_named(const Catalogue& catalogue, const std::string& pattern) {
    auto candidates = names_of_scenarios(catalogue);
    const auto benchmarks = names_of_benchmarks(catalogue);
    candidates.insert(candidates.end(), benchmarks.begin(), benchmarks.end());
    return "no scenario, family, claim or benchmark named '" + pattern + "'" + suggestion(pattern, candidates) +
           "; `tocuda list` shows all";
}

bool names(const std::string& pattern, const Scenario& scenario) {
    if (pattern == scenario.name || pattern == family(scenario) + "/" || pattern == family(scenario)) return true;
    if (scenario.name.ends_with("/" + pattern)) return true;
    return ::fnmatch(pattern.c_str(), scenario.name.c_str(), 0) == 0;
}

bool carries(const Scenario& scenario, const std::string& claim) {
    const auto& variants = scenario.variants;
    return std::any_of(variants.begin(), variants.end(),
                       [&](const Variant& variant) { return variant.expected.contains(claim); });
}

bool Selected::takes(const Variant& variant) const {
    return claims.empty() || std::any_of(claims.begin(), claims.end(),
                                         [&](const std::string& id) { return variant.expected.contains(id); });
}

std::variant<std::vector<Selected>, std::string> select(const Catalogue& catalogue,
                                                        const std::vector<std::string>& patterns) {
    std::vector<Selected> all;
    for (const auto& worker : catalogue.workers)
        for (const auto& scenario : worker.scenarios) all.push_back({&worker, &scenario});
    std::sort(all.begin(), all.end(),
              [](const Selected& left, const Selected& right) { return left.scenario->name < right.scenario->name; });
    if (patterns.empty()) return all;
    for (const auto& pattern : patterns)
        if (std::none_of(all.begin(), all.end(), [&](const Selected& one) {
                return names(pattern, *one.scenario) || carries(*one.scenario, pattern);
            }))
            return nothing_named(catalogue, pattern);
    std::erase_if(all, [&](Selected& one) { return !choose(one, patterns); });
    return all;
}

}  // namespace tocuda
