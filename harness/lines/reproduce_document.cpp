// tocuda, Apache-2.0.
#include "lines/reproduce_document.hpp"

#include "lines/json.hpp"
#include "model/row.hpp"

namespace tocuda {
namespace {

using json::Json;

Json of_row(const ReproducedRow& row) {
    Json object{{"id", row.id},
                {"name", row.name},
                {"verdict", word(row.verdict)},
                {"old", json::from_value(row.before)},
                {"new", json::from_value(row.after)}};
    object["interval"] = row.interval ? Json::array({row.interval->low, row.interval->high}) : Json(nullptr);
    if (!row.because.empty()) object["because"] = row.because;
    return object;
}

Json of_change(const FieldChange& change) {
    return {{"field", change.field}, {"old", json::or_null(change.before)}, {"new", json::or_null(change.after)}};
}

}  // namespace

std::string reproduce_document(const Reproduction& reproduction) {
    Json document{
        {"file", reproduction.file}, {"recorded", reproduction.recorded}, {"device", word(reproduction.device)}};
    document["rows"] = Json::array();
    for (const auto& row : reproduction.rows) document["rows"].push_back(of_row(row));
    document["differs"] = Json::array();
    for (const auto& change : reproduction.differs.changed) document["differs"].push_back(of_change(change));
    for (const auto& change : reproduction.differs.unknown) document["differs"].push_back(of_change(change));
    return json::pretty(document);
}

}  // namespace tocuda
