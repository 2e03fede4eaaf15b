// tocuda, Apache-2.0.
// describe, measure; and a plain no to what is asked about scenarios.
#include "measurement/answer.hpp"

#include <algorithm>
#include <optional>

#include "lines/benchmark.hpp"
#include "lines/worker_lines.hpp"

namespace tocuda {
namespace {

constexpr int understood = 0;
constexpr int usage_error = 2;

int describe(const std::vector<Measurable>& measurables, const Conversation& with) {
    with.say(to_line(WorkerLine{}));
    for (const auto& measurable : measurables) with.say(to_line(measurable.benchmark));
    return understood;
}

// What is wrong with a parameter set, in words; empty where nothing is. A value is of the kind that the defaults have, and no
// number is negative.
std::string wrong_with(const Parameters& set, const Benchmark& benchmark) {
    for (const auto& [name, value] : set)
        if (!benchmark.parameters.contains(name)) return "'" + name + "' is no parameter of " + benchmark.name;
    for (const auto& [name, values] : benchmark.parameters) {
        const auto found = set.find(name);
        if (found == set.end()) return "'" + name + "' is missing";
        if (!values.empty() && found->second.held.index() != values.front().held.index()) return "'" + name + "' is of another type";
        const auto* integer = std::get_if<std::int64_t>(&found->second.held);
        if (integer && *integer < 0) return "'" + name + "' is negative";
    }
    return "";
}

// All of them before the first is measured: memory is taken once, for the largest.
std::optional<std::vector<Parameters>> read_sets(const Benchmark& benchmark, const Conversation& with) {
    std::vector<Parameters> sets;
    for (std::string line; std::getline(with.sets, line);) {
        const auto set = parameters_line(line);
        const auto wrong = set ? wrong_with(*set, benchmark) : set.wrong;
        if (!wrong.empty()) {
            with.complain << "parameter set " << sets.size() + 1 << ": " << wrong << "\n";
            return std::nullopt;
        }
        sets.push_back(*set);
    }
    return sets;
}

int measure(const std::string& name, const std::vector<Measurable>& measurables, const Conversation& with) {
    const auto found = std::find_if(measurables.begin(), measurables.end(),
                                    [&](const Measurable& measurable) { return measurable.benchmark.name == name; });
    if (found == measurables.end()) {
        with.complain << "no benchmark is called " << name << "\n";
        return usage_error;
    }
    const auto sets = read_sets(found->benchmark, with);
    if (!sets) return usage_error;
    if (!sets->empty()) found->measure(*sets, [&](const Samples& samples) { with.say(to_line(samples)); });
    return understood;
}

}  // namespace

int answer(const std::vector<std::string>& words, const std::vector<Measurable>& measurables, const Conversation& with) {
    if (words == std::vector<std::string>{"describe"}) return describe(measurables, with);
    if (words.size() == 2 && words[0] == "measure") return measure(words[1], measurables, with);
    if (words.size() == 3 && words[0] == "observe") with.complain << "no scenario is called " << words[1] << "\n";
    else if (words == std::vector<std::string>{"judge"}) with.complain << "this worker holds no scenarios\n";
    else with.complain << "describe | measure NAME\n";
    return usage_error;
}

}  // namespace tocuda
