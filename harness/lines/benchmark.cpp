// tocuda, Apache-2.0.
#include "lines/benchmark.hpp"

#include "lines/benchmark_json.hpp"

namespace tocuda {

using dom::Fields;
using json::Json;

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

Expected<Benchmark> benchmark_line(std::string_view line) {
    return dom::parsed<Benchmark>(line, [](const Fields& fields) {
        dom::require_kind(fields, "benchmark");
        return dom::to_benchmark(fields);
    });
}

Expected<Parameters> parameters_line(std::string_view line) {
    return dom::parsed<Parameters>(line, dom::to_parameters);
}

Expected<MeasureLine> measure_line(std::string_view line) {
    return dom::parsed<MeasureLine>(line, [](const Fields& fields) -> MeasureLine {
        const auto* kind = fields.find("kind");
        const bool is_protocol = kind && kind->is_string() && dom::as<std::string_view>(*kind, "kind") == "protocol";
        if (is_protocol) return dom::to_protocol(fields);
        return dom::to_parameters(fields);
    });
}

Expected<Samples> samples_line(std::string_view line) {
    return dom::parsed<Samples>(line, [](const Fields& fields) {
        dom::require_kind(fields, "samples");
        return dom::to_samples(fields);
    });
}

}  // namespace tocuda
