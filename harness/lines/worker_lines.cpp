// tocuda, Apache-2.0.
#include "lines/worker_lines.hpp"

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

using dom::Fields;
using json::Json;

std::string to_line(const WorkerLine& line) {
    return json::text({{"kind", "worker"}, {"protocol", line.protocol}, {"built_with", line.built_with}});
}

std::string to_line(const Scenario& scenario) {
    Json line{{"kind", "scenario"}};
    line.update(json::of_scenario(scenario));
    return json::text(line);
}

std::string to_line(const Observation& observation) {
    return json::text({{"kind", "seen"},
                       {"key", observation.key},
                       {"value", json::from_value(observation.value)},
                       {"computed", observation.computed}});
}

std::string to_line(const DoneLine& line) { return json::text({{"kind", "done"}, {"device", word(line.device)}}); }

std::string to_line(const RulingLine& line) {
    return json::text({{"kind", "ruling"},
                       {"name", line.name},
                       {"variant", line.variant},
                       {"claim", line.ruling.claim},
                       {"verdict", word(line.ruling.verdict)},
                       {"because", line.ruling.because}});
}

Expected<DescribeLine> describe_line(std::string_view line) {
    return dom::parsed<DescribeLine>(line, [](const Fields& fields) -> DescribeLine {
        const auto kind = dom::field<std::string>(fields, "kind");
        if (kind == "scenario") return dom::to_scenario(fields);
        if (kind != "worker") return UnknownLine{kind};
        WorkerLine worker{.protocol = dom::field<int>(fields, "protocol")};
        if (const auto built_with = dom::part_or_none(fields, "built_with"))
            for (const auto& [name, version] : *built_with)
                worker.built_with.emplace(name, dom::as<std::string>(version, name));
        return worker;
    });
}

Expected<ObserveLine> observe_line(std::string_view line) {
    return dom::parsed<ObserveLine>(line, [](const Fields& fields) -> ObserveLine {
        const auto kind = dom::field<std::string>(fields, "kind");
        if (kind == "done") return DoneLine{dom::device_field(fields)};
        if (kind != "seen") return UnknownLine{kind};
        return dom::observation(fields);
    });
}

Expected<RulingLine> ruling_line(std::string_view line) {
    return dom::parsed<RulingLine>(line, [](const Fields& fields) -> RulingLine {
        dom::require_kind(fields, "ruling");
        return {dom::field<std::string>(fields, "name"),
                dom::field<std::string>(fields, "variant"),
                {dom::field<std::string>(fields, "claim"), dom::verdict_field(fields, "verdict"),
                 dom::visible_field(fields, "because")}};
    });
}

}  // namespace tocuda
