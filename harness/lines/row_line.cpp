// tocuda, Apache-2.0.
#include "lines/row_line.hpp"

#include "lines/benchmark_json.hpp"

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

Outcome to_outcome(const dom::Fields& fields) {
    return {dom::visible_field(fields, "ended"), dom::field<int>(fields, "code"), dom::field<double>(fields, "seconds"),
            visible(dom::field_or<std::string_view>(fields, "stopped", ""))};
}

Evidence to_evidence(const dom::Fields& fields) {
    Evidence evidence{.device = dom::device_field(fields), .outcome = to_outcome(dom::part(fields, "outcome"))};
    dom::list(fields, "stand_in");
    evidence.stand_in = dom::words_or_none(fields, "stand_in");
    for (const auto& seen : dom::parts(fields, "evidence")) evidence.observations.push_back(dom::observation(seen));
    evidence.stderr_tail = visible_lines(dom::field_or<std::string_view>(fields, "stderr_tail", ""));
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

Expected<Row> row_line(std::string_view line) {
    return dom::parsed<Row>(line, [](const dom::Fields& fields) {
        Row row{.name = dom::name_field(fields, "name"),
                .variant = dom::name_field(fields, "variant"),
                .evidence = to_evidence(fields)};
        for (const auto& claim : dom::parts(fields, "claims"))
            row.claims.push_back({dom::name_field(claim, "id"), dom::verdict_field(claim, "verdict"),
                                  dom::verdict_field(claim, "expected"), dom::visible_field(claim, "because")});
        return row;
    });
}

}  // namespace tocuda
