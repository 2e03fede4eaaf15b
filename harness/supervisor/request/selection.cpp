// tocuda, Apache-2.0.
#include "request/selection.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <iterator>

#include "model/nearest.hpp"

namespace tocuda {
namespace {

bool matches(const std::string& pattern, const Scenario& scenario) {
    return names(pattern, scenario) || carries(scenario, pattern);
}

std::string nothing_named(const Catalogue& catalogue, const std::string& pattern) {
    if (!select_benchmarks(catalogue, {pattern}).empty())
        return "'" + pattern + "' is a benchmark; `tocuda bench " + pattern + "` measures it";
    return "no scenario, family or claim named '" + pattern + "'" + suggestion(pattern, names_of_scenarios(catalogue)) +
           "; `tocuda list " + pattern + "` searches by words";
}

std::string nothing_at_all_named(const Catalogue& catalogue, const std::string& pattern) {
    auto candidates = names_of_scenarios(catalogue);
    const auto benchmarks = names_of_benchmarks(catalogue);
    candidates.insert(candidates.end(), benchmarks.begin(), benchmarks.end());
    auto near = suggestion(pattern, candidates);
    if (near.empty()) near = suggestion(pattern, words_of_all_sentences(catalogue));
    // A frame for the benchmarks of others, of which none is known here.
    if (pattern == "nvbench" || pattern == "NVBench")
        return "no benchmark here is one of NVBench; `tocuda import` reads what its programs write";
    return "no scenario, family, claim or benchmark is named '" + pattern + "' or speaks of it" + near +
           "; `tocuda list` shows all";
}

// Returns false if no pattern matches. If patterns match only claims, only the variants with those claims are chosen.
bool choose(Selected& one, const std::vector<std::string>& patterns) {
    if (std::ranges::any_of(patterns, [&](const std::string& pattern) { return names(pattern, *one.scenario); }))
        return true;
    std::ranges::copy_if(patterns, std::back_inserter(one.claims),
                         [&](const std::string& id) { return carries(*one.scenario, id); });
    return !one.claims.empty();
}

}  // namespace

std::vector<Selected> all_scenarios(const Catalogue& catalogue) {
    std::vector<Selected> all;
    for (const auto& worker : catalogue.workers)
        for (const auto& scenario : worker.scenarios) all.push_back({&worker, &scenario});
    std::sort(all.begin(), all.end(),
              [](const Selected& left, const Selected& right) { return left.scenario->name < right.scenario->name; });
    return all;
}

bool names_benchmark(const std::string& pattern, const std::string& benchmark) {
    const auto folder = pattern.ends_with('/') ? pattern : pattern + "/";
    return pattern == benchmark || (!pattern.empty() && benchmark.starts_with(folder)) ||
           benchmark.ends_with("/" + pattern) || ::fnmatch(pattern.c_str(), benchmark.c_str(), 0) == 0;
}

std::vector<SelectedBenchmark> select_benchmarks(const Catalogue& catalogue, const std::vector<std::string>& patterns) {
    std::vector<SelectedBenchmark> selected;
    for (const auto& worker : catalogue.workers)
        for (const auto& benchmark : worker.benchmarks)
            if (patterns.empty() || std::ranges::any_of(patterns, [&](const std::string& one) {
                    return names_benchmark(one, benchmark.name);
                }))
                selected.push_back({&worker, &benchmark});
    std::ranges::sort(selected,
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

std::vector<std::string> names_of_scenarios(const Catalogue& catalogue) {
    std::vector<std::string> names;
    for (const auto& worker : catalogue.workers)
        for (const auto& scenario : worker.scenarios) {
            names.push_back(family(scenario) + "/");
            names.push_back(scenario.name);
            names.push_back(scenario.name.substr(scenario.name.find('/') + 1));
            for (const auto& claim : scenario.claims) names.push_back(claim.id);
        }
    return names;
}

Expected<Found> find_all(const Catalogue& catalogue, const std::vector<std::string>& words) {
    Found found{all_scenarios(catalogue), select_benchmarks(catalogue, words)};
    if (words.empty()) return found;
    for (const auto& word : words) {
        const bool known = !select_benchmarks(catalogue, {word}).empty() ||
                           std::any_of(found.scenarios.begin(), found.scenarios.end(),
                                       [&](const Selected& one) { return matches(word, *one.scenario); });
        if (known) continue;
        found = search(catalogue, words);
        if (found.scenarios.empty() && found.benchmarks.empty()) return problem(nothing_at_all_named(catalogue, word));
        return found;
    }
    std::erase_if(found.scenarios, [&](Selected& one) { return !choose(one, words); });
    return found;
}

bool names(const std::string& pattern, const Scenario& scenario) {
    if (pattern == scenario.name || pattern == family(scenario) + "/" || pattern == family(scenario)) return true;
    auto stem = pattern;
    std::ranges::replace(stem, '-', '_');  // 003-2, as people write the second example of document 003
    if (scenario.name.ends_with("/" + stem)) return true;
    return ::fnmatch(pattern.c_str(), scenario.name.c_str(), 0) == 0;
}

bool carries(const Scenario& scenario, const std::string& claim) {
    const auto& variants = scenario.variants;
    return std::ranges::any_of(variants, [&](const Variant& variant) { return variant.expected.contains(claim); });
}

bool Selected::takes(const Variant& variant) const {
    return claims.empty() ||
           std::ranges::any_of(claims, [&](const std::string& id) { return variant.expected.contains(id); });
}

Expected<std::vector<Selected>> select(const Catalogue& catalogue, const std::vector<std::string>& patterns) {
    auto all = all_scenarios(catalogue);
    if (patterns.empty()) {
        std::erase_if(all, [](const Selected& one) { return !one.scenario->code.empty(); });
        return all;
    }
    for (const auto& pattern : patterns)
        if (std::none_of(all.begin(), all.end(), [&](const Selected& one) { return matches(pattern, *one.scenario); }))
            return problem(nothing_named(catalogue, pattern));
    std::erase_if(all, [&](Selected& one) { return !choose(one, patterns); });
    return all;
}

}  // namespace tocuda
