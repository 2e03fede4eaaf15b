// tocuda, Apache-2.0.
#include "lines/worker_lines.hpp"

#include "lines/json.hpp"
#include "lines/scenario_json.hpp"
#include "lines/words.hpp"

namespace tocuda {

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

Parsed<DescribeLine> describe_line(std::string_view line) {
    return json::parsed<DescribeLine>(line, [](const Json& object) -> DescribeLine {
        const auto kind = json::field<std::string>(object, "kind");
        if (kind == "worker")
            return WorkerLine{json::field<int>(object, "protocol"),
                              object.value("built_with", std::map<std::string, std::string>{})};
        if (kind == "scenario") return json::to_scenario(object);
        return UnknownLine{kind};
    });
}

Parsed<ObserveLine> observe_line(std::string_view line) {
    return json::parsed<ObserveLine>(line, [](const Json& object) -> ObserveLine {
        const auto kind = json::field<std::string>(object, "kind");
        if (kind == "done") return DoneLine{json::device_field(object)};
        if (kind != "seen") return UnknownLine{kind};
        return json::observation(object);
    });
}

Parsed<RulingLine> ruling_line(std::string_view line) {
    return json::parsed<RulingLine>(line, [](const Json& object) -> RulingLine {
        if (json::field<std::string>(object, "kind") != "ruling") throw json::Malformed("'kind' is not 'ruling'");
        return {json::field<std::string>(object, "name"),
                json::field<std::string>(object, "variant"),
                {json::field<std::string>(object, "claim"), json::verdict_field(object, "verdict"),
                 visible(json::field<std::string>(object, "because"))}};
    });
}

}  // namespace tocuda
