// tocuda, Apache-2.0.
// Benchmarks, parameter sets and samples, to lines and back.
#include "lines/benchmark.hpp"

#include <algorithm>
#include <span>

#include "lines/json.hpp"
#include "lines/scenario_json.hpp"
#include "lines/words.hpp"

namespace tocuda {
namespace {

using json::Json;

// One of the words of an enumeration whose values count from 0 in the order of its words.
template <class Word>
Word word_field(const Json& object, const char* name, std::span<const std::string_view> words) {
    const auto text = json::field<std::string>(object, name);
    const auto found = std::find(words.begin(), words.end(), text);
    if (found == words.end()) throw json::Malformed("'" + text + "' is no " + name);
    return static_cast<Word>(found - words.begin());
}

const Json& object_field(const Json& object, const char* name) {
    const auto found = object.find(name);
    if (found == object.end() || !found->is_object()) throw json::Malformed("'" + std::string(name) + "' is no object");
    return *found;
}

Json of_parameters(const Parameters& parameters) {
    auto object = Json::object();
    for (const auto& [name, value] : parameters) object[name] = json::from_value(value);
    return object;
}

Parameters to_parameters(const Json& object) {
    Parameters parameters;
    for (const auto& [name, value] : object.items()) parameters[name] = json::to_value(value);
    return parameters;
}

Benchmark to_benchmark(const Json& object) {
    Benchmark benchmark{.name = json::field<std::string>(object, "name"),
                        .summary = json::field<std::string>(object, "summary"),
                        .clock = word_field<Clock>(object, "clock", clock_words)};
    const auto& parameters = object_field(object, "parameters");
    for (const auto& [name, values] : parameters.items()) {
        for (const auto& value : json::list(parameters, name.c_str()))
            benchmark.parameters[name].push_back(json::to_value(value));
    }
    benchmark.needs = json::to_needs(object_field(object, "needs"));
    return benchmark;
}

Samples to_samples(const Json& object) {
    Samples samples{.parameters = to_parameters(object_field(object, "parameters")),
                    .status = word_field<Status>(object, "status", status_words),
                    .check = json::field<std::string>(object, "check"),
                    .clock = word_field<Clock>(object, "clock", clock_words),
                    .batch = json::field<std::int64_t>(object, "batch"),
                    .bytes_one_way = json::field<std::int64_t>(object, "bytes_one_way"),
                    .bytes_touched = json::field<std::int64_t>(object, "bytes_touched")};
    if (json::field<std::string>(object, "unit") != "s") throw json::Malformed("'unit' is not 's'");
    for (const auto& sample : json::list(object, "samples")) {
        if (!sample.is_number()) throw json::Malformed("a sample is no number");
        samples.seconds.push_back(sample.get<double>());
    }
    return samples;
}

void require_kind(const Json& object, const std::string& kind) {
    if (json::field<std::string>(object, "kind") != kind) throw json::Malformed("'kind' is not '" + kind + "'");
}

}  // namespace

std::string to_line(const Benchmark& benchmark) {
    auto parameters = Json::object();
    for (const auto& [name, values] : benchmark.parameters) parameters[name] = json::from_value(values);
    return json::text({{"kind", "benchmark"}, {"name", benchmark.name}, {"summary", benchmark.summary},
                       {"clock", word(benchmark.clock)}, {"parameters", parameters},
                       {"needs", json::of_needs(benchmark.needs)}});
}

std::string to_line(const Parameters& parameters) { return json::text(of_parameters(parameters)); }

std::string to_line(const Samples& samples) {
    return json::text({{"kind", "samples"}, {"parameters", of_parameters(samples.parameters)},
                       {"status", word(samples.status)}, {"check", samples.check}, {"clock", word(samples.clock)},
                       {"batch", samples.batch}, {"bytes_one_way", samples.bytes_one_way},
                       {"bytes_touched", samples.bytes_touched}, {"unit", "s"}, {"samples", samples.seconds}});
}

Parsed<Benchmark> benchmark_line(std::string_view line) {
    return json::parsed<Benchmark>(line, [](const Json& object) {
        require_kind(object, "benchmark");
        return to_benchmark(object);
    });
}

Parsed<Parameters> parameters_line(std::string_view line) { return json::parsed<Parameters>(line, to_parameters); }

Parsed<Samples> samples_line(std::string_view line) {
    return json::parsed<Samples>(line, [](const Json& object) {
        require_kind(object, "samples");
        return to_samples(object);
    });
}

}  // namespace tocuda
