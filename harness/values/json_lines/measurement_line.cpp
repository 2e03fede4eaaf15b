// tocuda, Apache-2.0.
// Damaged fields are refused by name, because a negative or non-numeric time would otherwise be taken for a result.
#include "json_lines/measurement_line.hpp"

#include "json_lines/model_fields.hpp"

namespace tocuda {

std::string to_line(const MeasurementRow& row) { return json::text(json::of(row)); }

Expected<MeasurementRow> measurement_line(std::string_view line) {
    return dom::parsed<MeasurementRow>(line, dom::to<MeasurementRow>);
}

}  // namespace tocuda
