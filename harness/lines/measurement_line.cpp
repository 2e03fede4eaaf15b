// tocuda, Apache-2.0.
// A measurement's row, to a line and back.
#include "lines/measurement_line.hpp"

#include "lines/samples_json.hpp"
#include "lines/words.hpp"

namespace tocuda {

using json::Json;

std::string to_line(const MeasurementRow& row) {
    Json object{{"kind", "measurement"}, {"benchmark", row.benchmark}, {"parameters", Json::object()}, {"id", row.id},
                {"device", word(row.device)}};
    if (!row.stand_in.empty()) object["stand_in"] = row.stand_in;
    object["round"] = row.round;
    object["process"] = row.process;
    json::add_samples(object, row.samples);
    return json::text(object);
}

Parsed<MeasurementRow> measurement_line(std::string_view line) {
    return json::parsed<MeasurementRow>(line, [](const Json& object) {
        if (json::field<std::string>(object, "kind") != "measurement") throw json::Malformed("'kind' is not 'measurement'");
        return MeasurementRow{.benchmark = json::field<std::string>(object, "benchmark"), .id = json::field<std::string>(object, "id"),
                              .device = json::device_field(object), .stand_in = json::words_or_none(object, "stand_in"),
                              .round = json::amount<int>(object, "round"), .process = json::amount<int>(object, "process"),
                              .samples = json::to_samples(object)};
    });
}

}  // namespace tocuda
