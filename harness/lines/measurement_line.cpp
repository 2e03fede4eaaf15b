// tocuda, Apache-2.0.
#include "lines/measurement_line.hpp"

#include "lines/parsed_line.hpp"
#include "lines/samples_json.hpp"
#include "model/row.hpp"

namespace tocuda {

using json::Json;

std::string to_line(const MeasurementRow& row) {
    Json object{{"kind", "measurement"},
                {"benchmark", row.benchmark},
                {"parameters", Json::object()},
                {"id", row.id},
                {"device", word(row.device)}};
    if (!row.stand_in.empty()) object["stand_in"] = row.stand_in;
    object["round"] = row.round;
    object["process"] = row.process;
    json::add_samples(object, row.samples);
    return json::text(object);
}

Parsed<MeasurementRow> measurement_line(std::string_view line) {
    return parsed_line<MeasurementRow>(line, "measurement");
}

}  // namespace tocuda
