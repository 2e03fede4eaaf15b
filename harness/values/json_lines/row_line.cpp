// tocuda, Apache-2.0.
#include "json_lines/lines.hpp"
#include "json_lines/model_fields.hpp"

namespace tocuda {

void fields(auto& io, Of<Outcome> auto& outcome) {
    io("ended", outcome.ended, As::shown);
    io("code", outcome.code);
    io("seconds", outcome.seconds);
    io.unless_empty("stopped", outcome.stopped, As::shown);
}

void fields(auto& io, Of<ClaimVerdict> auto& claim) {
    io("id", claim.id, As::name);
    io("verdict", claim.verdict);
    io("expected", claim.expected);
    io("because", claim.because, As::shown);
}

void fields(json::Writer& io, const SeenDifference& seen) {
    fields(io, seen.known);
    io.unless_empty("libtorch", seen.libtorch);
    io("agrees", seen.agrees);
}

void fields(auto& io, Of<Row> auto& row) {
    io("name", row.name, As::name);
    io("variant", row.variant, As::name);
    io("device", row.evidence.device);
    io("stand_in", row.evidence.stand_in, As::shown);
    io("outcome", row.evidence.outcome);
    io("evidence", row.evidence.observations);
    io.or_else("stderr_tail", row.evidence.stderr_tail, As::lines);
    io("claims", row.claims);
    if constexpr (std::same_as<decltype(io), json::Writer&>) io.unless_empty("differs", row.differs);
}

std::string to_line(const Row& row) { return json::line("scenario", row); }

Expected<Row> row_line(std::string_view line) { return dom::parsed<Row>(line, dom::to<Row>); }

}  // namespace tocuda

// Damaged fields are refused by name, because a negative or non-numeric time would otherwise be taken for a result.

namespace tocuda {

std::string to_line(const MeasurementRow& row) { return json::text(json::of(row)); }

Expected<MeasurementRow> measurement_line(std::string_view line) {
    return dom::parsed<MeasurementRow>(line, dom::to<MeasurementRow>);
}

}  // namespace tocuda
