// tocuda, Apache-2.0.
// Patterns to scenarios.
#include "command/selection.hpp"

#include <fnmatch.h>

#include <algorithm>

#include "model/nearest.hpp"

namespace tocuda {
namespace {

std::string nothing_named(const Catalogue& catalogue, const std::string& pattern) {
    std::vector<std::string> candidates;
    for (const auto& worker : catalogue.workers)
        for (const auto& scenario : worker.scenarios) {
            candidates.push_back(scenario.name);
            candidates.push_back(family(scenario) + "/");
            candidates.push_back(scenario.name.substr(scenario.name.find('/') + 1));
        }
    return "no scenario, family or claim is called '" + pattern + "'" + suggestion(pattern, candidates) + "; `tocuda list` shows all";
}

bool names_benchmark(const std::string& pattern, const Benchmark& benchmark) {
    return pattern == benchmark.name || (pattern.ends_with("/") && benchmark.name.starts_with(pattern)) ||
           ::fnmatch(pattern.c_str(), benchmark.name.c_str(), 0) == 0;
}

}  // namespace

std::vector<Benchmark> select_benchmarks(const Catalogue& catalogue, const std::vector<std::string>& patterns) {
    std::vector<Benchmark> selected;
    for (const auto& worker : catalogue.workers)
        for (const auto& benchmark : worker.benchmarks)
            if (patterns.empty() || std::any_of(patterns.begin(), patterns.end(), [&](const std::string& one) { return names_benchmark(one, benchmark); }))
                selected.push_back(benchmark);
    return selected;
}

bool names(const std::string& pattern, const Scenario& scenario) {
    if (pattern == scenario.name || pattern == family(scenario) + "/" || pattern == family(scenario)) return true;
    if (scenario.name.ends_with("/" + pattern)) return true;
    if (::fnmatch(pattern.c_str(), scenario.name.c_str(), 0) == 0) return true;
    return std::any_of(scenario.claims.begin(), scenario.claims.end(), [&](const Claim& claim) { return claim.id == pattern; });
}

std::variant<std::vector<Selected>, std::string> select(const Catalogue& catalogue, const std::vector<std::string>& patterns) {
    std::vector<Selected> all;
    for (const auto& worker : catalogue.workers)
        for (const auto& scenario : worker.scenarios) all.push_back({&worker, &scenario});
    std::sort(all.begin(), all.end(), [](const Selected& left, const Selected& right) { return left.scenario->name < right.scenario->name; });
    if (patterns.empty()) return all;
    for (const auto& pattern : patterns)
        if (std::none_of(all.begin(), all.end(), [&](const Selected& one) { return names(pattern, *one.scenario); }))
            return nothing_named(catalogue, pattern);
    std::erase_if(all, [&](const Selected& one) {
        return std::none_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) { return names(pattern, *one.scenario); });
    });
    return all;
}

}  // namespace tocuda
