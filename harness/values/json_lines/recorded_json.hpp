// tocuda, Apache-2.0.
// Shared parts of the documents about recorded runs. Only files of this room include it.
#pragma once

#include <vector>

#include "json_lines/documents.hpp"
#include "json_lines/fields.hpp"
#include "json_lines/json.hpp"
#include "model/plan.hpp"

namespace tocuda::json {

Json about(const RunLine& run);  // the run line without `kind` and plan
Json of_build(const Build& build);
Json of_bench(const RecordedRun& run);
Json of_shown(const ShownBenchmark& benchmark);
void put_measured(Json& document, const std::vector<RecordedRun>& runs);  // rows, fits, taxes

}  // namespace tocuda::json

namespace tocuda {

// The plan of a run line as JSON. Only files of this room include it.
void fields(json::Writer& io, const Plan& plan);
// Throws Malformed for what no tocuda writes: numbers out of bounds, units without a sweep, anything twice.
void fields(dom::Reader& io, Plan& plan);

}  // namespace tocuda
