// tocuda, Apache-2.0.
#include "lines/row_line.hpp"

#include "lines/json.hpp"
#include "lines/scenario_json.hpp"
#include "lines/words.hpp"

namespace tocuda {
namespace {

using json::Json;

Json of_outcome(const Outcome& outcome) {
    Json object{{"ended", outcome.ended}, {"code", outcome.code}, {"seconds", outcome.seconds}};
    if (!outcome.stopped.empty()) object["stopped"] = outcome.stopped;
    return object;
}

Json of_seen(const SeenDifference& seen) {
    auto object = json::of_difference(seen.known);
    if (!seen.libtorch.empty()) object["libtorch"] = seen.libtorch;
    if (seen.agrees) object["agrees"] = *seen.agrees;
    return object;
}

std::string name_field(const Json& object, const char* name) {
    auto text = json::field<std::string>(object, name);
    json::refuse_control_characters(text, name);
    return text;
}

Outcome to_outcome(const Json& object) {
    const auto found = object.find("outcome");
    if (found == object.end() || !found->is_object()) throw json::Malformed("'outcome' is not an object");
    return {visible(json::field<std::string>(*found, "ended")), json::field<int>(*found, "code"),
            json::field<double>(*found, "seconds"), visible(json::field_or<std::string>(*found, "stopped", ""))};
}

Evidence to_evidence(const Json& object) {
    Evidence evidence{.device = json::device_field(object), .outcome = to_outcome(object)};
    for (const auto& name : json::list(object, "stand_in"))
        evidence.stand_in.push_back(visible(name.get<std::string>()));
    for (const auto& seen : json::list(object, "evidence")) evidence.observations.push_back(json::observation(seen));
    evidence.stderr_tail = visible_lines(json::field_or<std::string>(object, "stderr_tail", ""));
    return evidence;
}

}  // namespace

std::string to_line(const Row& row) {
    auto evidence = Json::array();
    for (const auto& seen : row.evidence.observations)
        evidence.push_back({{"key", seen.key}, {"value", json::from_value(seen.value)}, {"computed", seen.computed}});
    auto claims = Json::array();
    for (const auto& claim : row.claims)
        claims.push_back({{"id", claim.id},
                          {"verdict", word(claim.verdict)},
                          {"expected", word(claim.expected)},
                          {"because", claim.because}});
    Json line{{"kind", "scenario"},
              {"name", row.name},
              {"variant", row.variant},
              {"device", word(row.evidence.device)},
              {"stand_in", row.evidence.stand_in},
              {"outcome", of_outcome(row.evidence.outcome)},
              {"evidence", evidence},
              {"stderr_tail", row.evidence.stderr_tail},
              {"claims", claims}};
    for (const auto& seen : row.differs) line["differs"].push_back(of_seen(seen));
    return json::text(line);
}

Parsed<Row> row_line(std::string_view line) {
    return json::parsed<Row>(line, [](const Json& object) {
        Row row{.name = name_field(object, "name"),
                .variant = name_field(object, "variant"),
                .evidence = to_evidence(object)};
        for (const auto& claim : json::list(object, "claims"))
            row.claims.push_back({name_field(claim, "id"), json::verdict_field(claim, "verdict"),
                                  json::verdict_field(claim, "expected"),
                                  visible(json::field<std::string>(claim, "because"))});
        return row;
    });
}

}  // namespace tocuda
