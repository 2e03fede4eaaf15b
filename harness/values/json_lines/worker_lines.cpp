// tocuda, Apache-2.0.
#include "json_lines/worker_lines.hpp"

#include "json_lines/model_fields.hpp"

namespace tocuda {

void fields(auto& io, Of<WorkerLine> auto& line) {
    io("protocol", line.protocol);
    io.or_else("built_with", line.built_with);
}

void fields(auto& io, Of<DoneLine> auto& line) { io("device", line.device); }

void fields(auto& io, Of<RulingLine> auto& line) {
    io("name", line.name);
    io("variant", line.variant);
    io("claim", line.ruling.claim);
    io("verdict", line.ruling.verdict);
    io("because", line.ruling.because, As::shown);
}

std::string to_line(const Benchmark& benchmark) { return json::line("benchmark", benchmark); }
std::string to_line(const Protocol& protocol) { return json::line("protocol", protocol); }
std::string to_line(const Parameters& parameters) { return json::text(json::of(parameters)); }
std::string to_line(const Samples& samples) { return json::line("samples", samples); }
std::string to_line(const WorkerLine& line) { return json::line("worker", line); }
std::string to_line(const Scenario& scenario) { return json::line("scenario", scenario); }
std::string to_line(const Observation& observation) { return json::line("seen", observation); }
std::string to_line(const DoneLine& line) { return json::line("done", line); }
std::string to_line(const RulingLine& line) { return json::line("ruling", line); }

Expected<Benchmark> benchmark_line(std::string_view line) { return dom::line<Benchmark>("benchmark", line); }
Expected<Samples> samples_line(std::string_view line) { return dom::line<Samples>("samples", line); }
Expected<RulingLine> ruling_line(std::string_view line) { return dom::line<RulingLine>("ruling", line); }

Expected<MeasureLine> measure_line(std::string_view line) {
    return dom::parsed<MeasureLine>(line, [](const dom::Fields& from) -> MeasureLine {
        const auto* kind = from.find("kind");
        const bool is_protocol = kind && kind->is_string() && dom::as<std::string_view>(*kind, "kind") == "protocol";
        if (is_protocol) return dom::to<Protocol>(from);
        return dom::to<Parameters>(from);
    });
}

Expected<DescribeLine> describe_line(std::string_view line) {
    return dom::parsed<DescribeLine>(line, [](const dom::Fields& from) -> DescribeLine {
        const auto kind = dom::field<std::string>(from, "kind");
        if (kind == "scenario") return dom::to<Scenario>(from);
        if (kind == "worker") return dom::to<WorkerLine>(from);
        return UnknownLine{kind};
    });
}

Expected<ObserveLine> observe_line(std::string_view line) {
    return dom::parsed<ObserveLine>(line, [](const dom::Fields& from) -> ObserveLine {
        const auto kind = dom::field<std::string>(from, "kind");
        if (kind == "done") return dom::to<DoneLine>(from);
        if (kind == "seen") return dom::to<Observation>(from);
        return UnknownLine{kind};
    });
}

}  // namespace tocuda
