// tocuda, Apache-2.0.
#include "lines/benchmark.hpp"

#include "lines/benchmark_json.hpp"
#include "lines/parsed_line.hpp"
#include "lines/samples_json.hpp"
#include "lines/words.hpp"

namespace tocuda {
namespace {

using json::Json;

void require_kind(const Json& object, const std::string& kind) {
    if (json::field<std::string>(object, "kind") != kind) throw json::Malformed("'kind' is not '" + kind + "'");
}

}  // namespace

std::string to_line(const Benchmark& benchmark) {
    Json line{{"kind", "benchmark"}};
    line.update(json::of_benchmark(benchmark));
    return json::text(line);
}

std::string to_line(const Protocol& protocol) {
    Json line{{"kind", "protocol"}};
    line.update(json::of_protocol(protocol));
    return json::text(line);
}

std::string to_line(const Parameters& parameters) { return json::text(json::of_parameters(parameters)); }

std::string to_line(const Samples& samples) {
    Json line{{"kind", "samples"}};
    json::add_samples(line, samples);
    return json::text(line);
}

Parsed<Benchmark> benchmark_line(std::string_view line) {
    return json::parsed<Benchmark>(line, [](const Json& object) {
        require_kind(object, "benchmark");
        return json::to_benchmark(object);
    });
}

Parsed<Parameters> parameters_line(std::string_view line) {
    return json::parsed<Parameters>(line, json::to_parameters);
}

Parsed<MeasureLine> measure_line(std::string_view line) {
    return json::parsed<MeasureLine>(line, [](const Json& object) -> MeasureLine {
        const auto kind = object.find("kind");
        if (kind != object.end() && *kind == "protocol") return json::to_protocol(object);
        return json::to_parameters(object);
    });
}

Parsed<Samples> samples_line(std::string_view line) { return parsed_line<Samples>(line, "samples"); }

}  // namespace tocuda
