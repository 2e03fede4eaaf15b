// tocuda, Apache-2.0.
#include "request/selection.hpp"

#include <fnmatch.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <set>

#include "model/nearest.hpp"
#include "model/words.hpp"

namespace tocuda {
namespace {

std::vector<Selected> all_scenarios(const Catalogue& catalogue) {
    std::vector<Selected> all;
    for (const auto& worker : catalogue.workers)
        for (const auto& scenario : worker.scenarios) all.push_back({&worker, &scenario});
    std::sort(all.begin(), all.end(),
              [](const Selected& left, const Selected& right) { return left.scenario->name < right.scenario->name; });
    return all;
}

bool matches(const std::string& pattern, const Scenario& scenario) {
    return names(pattern, scenario) || carries(scenario, pattern);
}

std::string nothing_named(const Catalogue& catalogue, const std::string& pattern) {
    if (!select_benchmarks(catalogue, {pattern}).empty())
        return "'" + pattern + "' is a benchmark; `tocuda bench " + pattern + "` measures it";
    return "no scenario, family or claim named '" + pattern + "'" + suggestion(pattern, names_of_scenarios(catalogue)) +
           "; `tocuda list` shows all";
}

std::string lower(std::string text) {
    for (auto& letter : text) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    return text;
}

std::string sentences_of(const Scenario& scenario) {
    auto text = scenario.name + "\n" + scenario.summary + "\n" + scenario.observed + "\n" + scenario.decisive;
    for (const auto& claim : scenario.claims) text += "\n" + claim.id + " " + claim.statement;
    return lower(text);
}

// What has a size is measured in bytes per second, too.
std::string sentences_of(const Benchmark& benchmark) {
    const auto* unit = benchmark.parameters.contains("bytes") ? "\nbandwidth, bytes per second" : "";
    return lower(benchmark.name + "\n" + benchmark.summary + unit);
}

// For suggestions, without words that are too short to be mistyped alone.
std::vector<std::string> words_of_all_sentences(const Catalogue& catalogue) {
    constexpr std::size_t least = 5;
    std::string text;
    for (const auto& one : all_scenarios(catalogue)) text += sentences_of(*one.scenario) + "\n";
    for (const auto& one : select_benchmarks(catalogue, {})) text += sentences_of(*one.benchmark) + "\n";
    std::ranges::replace_if(text, [](unsigned char letter) { return std::isalnum(letter) == 0; }, ' ');
    std::set<std::string> words;
    for (const auto word : words_of(text))
        if (word.size() >= least) words.emplace(word);
    return {words.begin(), words.end()};
}

std::string nothing_at_all_named(const Catalogue& catalogue, const std::string& pattern) {
    auto candidates = names_of_scenarios(catalogue);
    const auto benchmarks = names_of_benchmarks(catalogue);
    candidates.insert(candidates.end(), benchmarks.begin(), benchmarks.end());
    auto near = suggestion(pattern, candidates);
    if (near.empty()) near = suggestion(pattern, words_of_all_sentences(catalogue));
    return "no scenario, family, claim or benchmark is named '" + pattern + "' or speaks of it" + near +
           "; `tocuda list` shows all";
}

// NumPy's and Python's names of dtypes, and LibTorch's.
std::string other_name(const std::string& word) {
    return word == "float64" ? "double" : word == "float16" ? "half" : word == "int64" ? "long" : word;
}

// Returns what speaks of all these words, in lower case.
Found speaking_of(const Catalogue& catalogue, const std::vector<std::string>& words) {
    const auto suits = [&](const std::string& text) {
        return std::all_of(words.begin(), words.end(), [&](const std::string& word) {
            return text.find(word) != std::string::npos || text.find(other_name(word)) != std::string::npos;
        });
    };
    Found found{all_scenarios(catalogue), select_benchmarks(catalogue, {}), true};
    std::erase_if(found.scenarios, [&](const Selected& one) { return !suits(sentences_of(*one.scenario)); });
    std::erase_if(found.benchmarks, [&](const SelectedBenchmark& one) { return !suits(sentences_of(*one.benchmark)); });
    return found;
}

// If nothing speaks of all the words, returns what speaks of the rarest.
Found search(const Catalogue& catalogue, const std::vector<std::string>& typed) {
    std::vector<std::string> words;
    for (const auto& word : typed)
        for (const auto part : words_of(word)) words.push_back(lower(std::string(part)));
    const auto count = [](const Found& found) { return found.scenarios.size() + found.benchmarks.size(); };
    auto best = speaking_of(catalogue, words);
    if (count(best) > 0) return best;
    for (const auto& word : words) {
        auto found = speaking_of(catalogue, {word});
        if (count(found) > 0 && (count(best) == 0 || count(found) < count(best))) best = std::move(found);
    }
    return best;
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
    if (scenario.name.ends_with("/" + pattern)) return true;
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
    if (patterns.empty()) return all;
    for (const auto& pattern : patterns)
        if (std::none_of(all.begin(), all.end(), [&](const Selected& one) { return matches(pattern, *one.scenario); }))
            return problem(nothing_named(catalogue, pattern));
    std::erase_if(all, [&](Selected& one) { return !choose(one, patterns); });
    return all;
}

}  // namespace tocuda
