// tocuda, Apache-2.0.
#include "json_lines/doctor_document.hpp"

#include "json_lines/fields.hpp"

namespace tocuda {

std::string doctor_document(bool usable, const std::vector<doctor::Finding>& findings,
                            const std::optional<std::string>& cause) {
    json::Json document{{"usable", usable}, {"findings", json::Json::array()}, {"cause", json::of(cause)}};
    for (const auto& [check, state, evidence, remedy] : findings)
        document["findings"].push_back(
            {{"check", check}, {"state", word(state)}, {"evidence", evidence}, {"remedy", remedy}});
    return json::pretty(document);
}

std::string explanation_document(const doctor::Explanation& explanation) {
    json::Json document{{"error", explanation.error},     {"line", explanation.line},
                        {"quoted", explanation.quoted},   {"meaning", explanation.meaning},
                        {"figures", json::Json::array()}, {"arithmetic", explanation.arithmetic},
                        {"claims", explanation.claims},   {"remedies", explanation.remedies}};
    for (const auto& [name, value, unit] : explanation.figures)
        document["figures"].push_back({{"name", name}, {"value", value}, {"unit", unit}});
    return json::pretty(document);
}

}  // namespace tocuda
