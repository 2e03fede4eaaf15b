// tocuda, Apache-2.0.
#include "request/sweep.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <set>

#include "model/allowed.hpp"
#include "model/benchmark.hpp"
#include "model/nearest.hpp"
#include "model/parameter_values.hpp"
#include "model/words.hpp"
#include "request/characterise.hpp"
#include "request/selection.hpp"

namespace tocuda {
namespace {

using Axes = std::map<std::string, Values>;

// The parameter values for a protocol; nullopt if the benchmark is not part of it, as one without values for a
// parameter is not of --quick, unless it was given by its full name. A parameter may have no values.
std::optional<Axes> axes_of(const Benchmark& benchmark, const Wanted& wanted) {
    auto axes = benchmark.parameters;
    const auto& differs = wanted.protocol == "quick"  ? benchmark.quick
                          : wanted.protocol == "full" ? benchmark.full
                                                      : Axes{};
    const bool by_name = std::ranges::find(wanted.patterns, benchmark.name) != wanted.patterns.end();
    for (const auto& [name, values] : differs) {
        if (!values.empty()) axes[name] = values;
        else if (!by_name) return std::nullopt;
    }
    return axes;
}

// Whether it is measured without being asked for: each parameter has values.
bool has_all_values(const std::optional<Axes>& axes) {
    return axes && std::ranges::none_of(*axes, [](const auto& axis) { return axis.second.empty(); });
}

// Whether a benchmark that is measured on request only is requested: by its name, or by a folder or glob that selects
// nothing else.
bool is_requested(const Benchmark& benchmark, const Wanted& wanted, const Catalogue& catalogue) {
    return std::ranges::any_of(wanted.patterns, [&](const std::string& pattern) {
        if (!names_benchmark(pattern, benchmark.name)) return false;
        if (pattern == benchmark.name || benchmark.name.ends_with("/" + pattern)) return true;
        return std::ranges::none_of(select_benchmarks(catalogue, {pattern}), [&](const SelectedBenchmark& one) {
            return has_all_values(axes_of(*one.benchmark, wanted));
        });
    });
}

// The same with the values of --full for parameters without any; nullopt if it is not measured.
std::optional<Axes> complete_axes_of(const Benchmark& benchmark, const Wanted& wanted, const Catalogue& catalogue) {
    auto axes = axes_of(benchmark, wanted);
    if (!axes || (!has_all_values(axes) && !is_requested(benchmark, wanted, catalogue))) return std::nullopt;
    for (auto& [name, values] : *axes) {
        if (!values.empty()) continue;
        const auto of_full = benchmark.full.find(name);
        if (of_full == benchmark.full.end()) return std::nullopt;
        values = of_full->second;
    }
    return axes;
}

std::vector<Parameters> product(const Axes& axes) {
    std::vector<Parameters> sets(1);
    for (const auto& [name, values] : axes) {
        std::vector<Parameters> longer;
        for (const auto& set : sets)
            for (const auto& value : values) {
                longer.push_back(set);
                longer.back()[name] = value;
            }
        sets = std::move(longer);
    }
    return sets;
}

std::vector<ParameterChoice> each_part(const ParameterChoice& choice) {
    std::vector<ParameterChoice> each;
    for (const auto& part : choice.parts)
        each.push_back({choice.name + "=" + part.from + (part.to.empty() ? "" : ".." + part.to), choice.name, {part}});
    return each;
}

// Applies the choices to the axes. Returns false if the benchmark has none of the values of one. `suited` gets the
// parts that it has.
Expected<bool> choose(Axes& axes, const Benchmark& benchmark, const Wanted& wanted, std::set<std::string>& suited) {
    bool suits = true;
    for (const auto& choice : wanted.choices) {
        const auto axis = axes.find(choice.name);
        auto values = axis == axes.end() ? Expected<Values>(Values{}) : values_of(choice, benchmark, axis->second);
        if (!values) return tl::unexpected(values.error());
        suits = suits && !values->empty();
        if (values->empty()) continue;
        for (const auto& part : each_part(choice))
            if (!values_of(part, benchmark, axis->second)->empty()) suited.insert(part.word);
        axis->second = std::move(*values);
    }
    return suits;
}

// The message if the benchmarks with this parameter and value are all left out because they are not named; empty if
// not.
std::string must_be_named(const ParameterChoice& choice, const std::vector<const Benchmark*>& benchmarks,
                          const std::vector<const Benchmark*>& left_out, bool quick) {
    constexpr std::size_t most = 3;
    std::string names;
    std::size_t count = 0;
    for (const auto* benchmark : benchmarks) {
        if (values_of(choice, *benchmark, {}).value_or(Values{}).empty()) continue;
        if (std::ranges::find(left_out, benchmark) == left_out.end()) return "";
        if (++count <= most) names += (count == 1 ? "" : ", ") + benchmark->name;
    }
    if (count == 0) return "";
    if (count > most) names += ", ...";
    return fmt::format("{}: only {} {} it, and {}", choice.word, names, count == 1 ? "has" : "have",
                       quick ? "--quick leaves out what is not named in full" : "must be named in full");
}

// The message if no selected benchmark has this parameter or value. `choice` has a single part.
std::string nothing_suits(const ParameterChoice& choice, const std::vector<const Benchmark*>& benchmarks) {
    std::set<std::string> names;
    std::set<std::string, ByValue> values;
    for (const auto* benchmark : benchmarks)
        for (const auto& [name, defaults] : benchmark->parameters) {
            names.insert(name);
            if (name != choice.name) continue;
            for (const auto& value : known_values(*benchmark, name)) values.insert(plain(value));
        }
    const auto list = [](const auto& words) {
        auto text = joined(words);
        return text.empty() ? "none" : text;
    };
    if (!names.contains(choice.name))
        return fmt::format("no parameter named '{}'{}; available: {}", choice.name,
                           suggestion(choice.name, {names.begin(), names.end()}), list(names));
    for (const auto* benchmark : benchmarks)
        if (const auto why = why_not_allowed(choice, *benchmark); !why.empty())
            return fmt::format("{}: {}: {}", choice.word, benchmark->name, why);
    const auto near = suggestion(choice.parts[0].from, {values.begin(), values.end()});
    return fmt::format("{}: no such value{}; available: {}", choice.word, near, list(values));
}

std::string words_of(const std::vector<ParameterChoice>& choices) {
    return joined(choices, " ", [](const auto& choice) { return choice.word; });
}

std::string no_benchmark_called(const Catalogue& catalogue, const std::vector<std::string>& patterns) {
    for (const auto& pattern : patterns) {
        if (!select_benchmarks(catalogue, {pattern}).empty()) continue;
        if (select(catalogue, {pattern}))
            return fmt::format("'{0}' is a scenario or claim; `tocuda run {0}` runs it", pattern);
        auto known = names_of_benchmarks(catalogue);
        known.emplace_back(characterise_word);
        return fmt::format("no benchmark named '{}'{}; `tocuda list {}` finds what speaks of it", pattern,
                           suggestion(pattern, known), pattern);
    }
    return "";
}

}  // namespace

Expected<Sweeps> sweeps_of(const Catalogue& catalogue, const Wanted& wanted) {
    if (wanted.characterise) return sweeps_that_characterise(catalogue);
    if (const auto wrong = no_benchmark_called(catalogue, wanted.patterns); !wrong.empty()) return problem(wrong);
    Sweeps result;
    std::set<std::string> suited;
    std::vector<const Benchmark*> benchmarks;
    std::vector<const Benchmark*> left_out;
    for (const auto& [worker, benchmark] : select_benchmarks(catalogue, wanted.patterns)) {
        if (wanted.patterns.empty() && benchmark->role.tunes) continue;
        benchmarks.push_back(benchmark);
        auto axes = complete_axes_of(*benchmark, wanted, catalogue);
        if (!axes) {
            result.on_request.push_back(benchmark->name);
            left_out.push_back(benchmark);
            continue;
        }
        const auto suits = choose(*axes, *benchmark, wanted, suited);
        if (!suits) return tl::unexpected(suits.error());
        if (!*suits) result.left_out.push_back(benchmark->name);
        else if (auto sets = product(*axes); !sets.empty())
            result.sweeps.push_back({worker, *benchmark, std::move(sets)});
    }
    for (const auto& choice : wanted.choices)
        for (const auto& part : each_part(choice)) {
            if (suited.contains(part.word) || benchmarks.empty()) continue;
            const auto unnamed = must_be_named(choice, benchmarks, left_out, wanted.protocol == "quick");
            return problem(unnamed.empty() ? nothing_suits(part, benchmarks) : unnamed);
        }
    if (result.sweeps.empty() && !result.left_out.empty())
        return problem("no benchmark has all chosen parameters and values together: " + words_of(wanted.choices));
    return result;
}

std::size_t lower_sets_above(Sweeps& sweeps, std::int64_t most, std::int64_t instead) {
    std::size_t lowered = 0;
    for (auto& sweep : sweeps.sweeps) {
        if (sweep.benchmark.needs.gpus == 0) continue;  // the host is not simulated
        const auto allowed = sweep.benchmark.allowed.find("bytes");
        const bool fits =
            allowed == sweep.benchmark.allowed.end() || why_not_allowed("bytes", instead, allowed->second).empty();
        std::vector<Parameters> sets;
        for (auto& set : sweep.sets) {
            if (const auto size = whole_if_any(set, "bytes"); size && *size > most) {
                ++lowered;
                if (!fits) continue;
                set["bytes"] = instead;
            }
            if (std::ranges::find(sets, set) == sets.end()) sets.push_back(std::move(set));
        }
        sweep.sets = std::move(sets);
    }
    std::erase_if(sweeps.sweeps, [](const Sweep& sweep) { return sweep.sets.empty(); });
    return lowered;
}

void remove_pairs_beyond(Sweeps& sweeps, std::int64_t gpus) {
    for (auto& sweep : sweeps.sweeps) {
        if (sweep.benchmark.needs.gpus < 2) continue;
        auto there = sweep.sets;
        std::erase_if(there, [&](const Parameters& set) {
            const auto from = whole_if_any(set, "from");
            const auto to = whole_if_any(set, "to");
            return from.value_or(0) >= gpus || to.value_or(0) >= gpus || (from && from == to);
        });
        if (!there.empty()) sweep.sets = std::move(there);
    }
}

Protocol protocol_called(const std::string& name) {
    Protocol protocol{.name = name};
    if (name == "quick") {
        protocol.launch_budget_s = 0.01;
        protocol.processes_min = 3;
    }
    if (name == "full") protocol.launch_budget_s = 1;
    return protocol;
}

std::string why_nothing_to_measure(const Sweeps& sweeps, const Wanted& wanted) {
    if (!sweeps.sweeps.empty()) return "";
    if (wanted.protocol == "quick")
        return "none of these benchmarks is part of --quick: omit --quick, or give a benchmark's full name";
    return "no worker has a benchmark; `tocuda list` shows what was not built";
}

}  // namespace tocuda
