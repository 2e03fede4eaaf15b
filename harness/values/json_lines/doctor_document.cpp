// tocuda, Apache-2.0.
#include "json_lines/doctor_document.hpp"

#include "json_lines/fields.hpp"

namespace tocuda {

std::string doctor_document(bool usable, const std::vector<doctor::Finding>& findings,
                            const std::optional<std::string>& cause) {
    json::Json document{{"usable", usable}, {"findings", json::Json::array()}, {"cause", json::of(cause)}};
    for (const auto& one : findings)
        document["findings"].push_back({{"check", one.check},
                                        {"state", word(one.state)},
                                        {"evidence", one.evidence},
                                        {"remedy", one.remedy},
                                        {"of_one_gpu", one.of_one_gpu}});
    return json::pretty(document);
}

std::string explanation_document(const doctor::Explanation& explanation) {
    json::Json document{
        {"error", explanation.error},     {"line", explanation.line},       {"quoted", explanation.quoted},
        {"meaning", explanation.meaning}, {"figures", json::Json::array()}, {"arithmetic", explanation.arithmetic},
        {"claims", explanation.claims},   {"certain", explanation.certain}, {"remedies", json::Json::array()}};
    for (const auto& [name, value, unit] : explanation.figures)
        document["figures"].push_back({{"name", name}, {"value", value}, {"unit", unit}});
    for (const auto& [what, scope] : explanation.remedies)
        document["remedies"].push_back({{"do", what}, {"changes", word(scope)}});
    return json::pretty(document);
}

}  // namespace tocuda
